/**
 * The only style sheet: the content security policy of the page allows it by its hash. Light, dark and print differ only
 * in the colour variables. No meaning depends on colour alone.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --sheet: #f6f7f9; --ink: #16191d; --quiet: #545d69; --rule: #d5dae1; --rule-strong: #8a94a1;
  --accent: #1c4f91; --alert: #b02318; --mark: #fdf0d2;
  --series-1: #1c4f91; --series-2: #b35900; --series-3: #2e7d4f; --series-4: #7b4397; --series-5: #6a7683;
  --series-6: #a32638;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", "Liberation Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --sheet: #1c2127; --ink: #e7eaee; --quiet: #a3adb9; --rule: #323a44; --rule-strong: #6d7885;
    --accent: #8fbcff; --alert: #ff8a7a; --mark: #3a3220;
    --series-1: #8fbcff; --series-2: #f0a860; --series-3: #7fcf9f; --series-4: #cfa3e6; --series-5: #aab4bf;
    --series-6: #ff95a3;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); }
.sheet { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; font-weight: 650; overflow-wrap: anywhere; }
h1 { font-size: 2rem; letter-spacing: -0.015em; margin: 0 0 0.35rem; }
h2 { font-size: 1.4rem; letter-spacing: -0.01em; margin: 3.25rem 0 0.75rem; padding-top: 0.9rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.1rem; margin: 2.25rem 0 0.5rem; }
h4 { font-size: 1rem; margin: 1.75rem 0 0.4rem; }
p, ul, ol { max-width: 44rem; margin: 0 0 0.9rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code { font: 0.9em var(--mono); unicode-bidi: isolate; overflow-wrap: anywhere; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--paper); padding: 0.25rem 0.5rem; }
.eyebrow { margin: 0 0 0.5rem; color: var(--quiet); font-size: 0.875rem; }
.lead { font-size: 1.125rem; line-height: 1.5; color: var(--quiet); text-wrap: pretty; }
.note { color: var(--quiet); font-size: 0.875rem; }
.warning { border-left: 4px double var(--alert); padding: 0.1rem 0 0.1rem 0.85rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.25rem, 1fr)); gap: 1rem 1.5rem; margin: 1.75rem 0; padding: 1rem 0; border-block: 1px solid var(--rule); }
.facts dt { color: var(--quiet); font-size: 0.8125rem; }
.facts dd { margin: 0; font-size: 1.125rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
nav ol { list-style: none; margin: 0; padding: 0; columns: 17rem; column-gap: 2rem; max-width: none; font-size: 0.9375rem; }
nav li { break-inside: avoid; padding: 0.15rem 0; }
nav li ol { columns: auto; padding-left: 1rem; }
nav h2 { border: 0; margin: 0 0 0.4rem; padding: 0; font-size: 0.8125rem; font-weight: 400; letter-spacing: 0; color: var(--quiet); }
.scroll { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; line-height: 1.4; font-variant-numeric: tabular-nums lining-nums; min-width: min(100%, 26rem); }
caption { text-align: left; padding-bottom: 0.55rem; color: var(--quiet); max-width: 44rem; }
caption b, figcaption b { color: var(--ink); font-weight: 650; }
th, td { padding: 0.36rem 0.85rem 0.36rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th:last-child, td:last-child { padding-right: 0.25rem; }
thead th { border-bottom: 1.5px solid var(--ink); vertical-align: bottom; font-weight: 600; white-space: nowrap; }
thead th.number { white-space: normal; }
tbody th { font-weight: 400; }
tbody tr:last-child > * { border-bottom: 1.5px solid var(--rule-strong); }
.number { text-align: right; white-space: nowrap; }
.text, .sentence { overflow-wrap: break-word; }
.name { min-width: 12rem; }
.brief { min-width: 6.5rem; }
.sentence { width: 100%; min-width: 14rem; }
.whole { white-space: nowrap; }
.bar { text-align: right; white-space: nowrap; }
thead th.bar { padding-right: calc(1.45rem + 72px); }
.marked > * { background: var(--mark); font-weight: 650; }
.marked > :first-child { box-shadow: inset 4px 0 0 var(--ink); padding-left: 0.7rem; }
.with-marks > tbody > tr > :first-child, .with-marks > thead > tr > :first-child { padding-left: 0.7rem; }
.cell-bar { display: inline-block; vertical-align: -0.2em; overflow: visible; margin-left: 0.6rem; }
figure { margin: 1.75rem 0 2rem; break-inside: avoid; }
figcaption { max-width: 44rem; color: var(--quiet); font-size: 0.9rem; margin-bottom: 0.75rem; }
.drawing { overflow-x: auto; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem 2rem; }
.panels h4 { margin: 0 0 0.25rem; font-size: 0.875rem; }
.drawing svg { display: block; max-width: 100%; height: auto; overflow: visible; font-family: var(--sans); font-variant-numeric: tabular-nums; }
.drawing > svg { min-width: 40rem; }
.drawing.wide > svg { max-width: none; }
svg text { white-space: pre; }
.key { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; list-style: none; margin: 0.6rem 0 0; padding: 0; font-size: 0.875rem; max-width: none; }
.key li { display: flex; align-items: center; gap: 0.5rem; }
.key svg { flex: none; display: block; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: 0.875rem; width: fit-content; }
figure details[open], article details[open] { border-left: 2px solid var(--rule); padding-left: 0.9rem; }
.incident { border: 1px solid var(--rule-strong); border-left-width: 5px; padding: 0.25rem 1.25rem 0.75rem; margin: 1.5rem 0; break-inside: auto; }
.incident h3 { margin-top: 0.9rem; }
.incident .facts { margin: 0.75rem 0; padding: 0.6rem 0; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(8.4rem, 1fr)); }
.incident .facts dd { font-size: 0.9375rem; }
footer { margin-top: 4rem; padding-top: 0.75rem; border-top: 1px solid var(--rule); color: var(--quiet); font-size: 0.8125rem; }
@media (max-width: 40rem) { .sheet { padding: 1.25rem 1rem 3rem; } h1 { font-size: 1.6rem; } .incident { padding-inline: 0.8rem; } }
@media print {
  :root {
    color-scheme: light;
    --paper: #ffffff; --sheet: #ffffff; --ink: #000000; --quiet: #333333; --rule: #bbbbbb; --rule-strong: #666666;
    --accent: #123a6e; --alert: #8f1a10; --mark: #eeeeee;
    --series-1: #123a6e; --series-2: #8a4400; --series-3: #1d5c38; --series-4: #5c2d75; --series-5: #4d5762; --series-6: #7d1726;
  }
  @page { margin: 16mm 15mm; }
  html { font-size: 9pt; }
  body { line-height: 1.4; }
  .sheet { max-width: none; padding: 0; }
  nav, .skip, a[download], figure > details:not([open]) { display: none; }
  a { color: inherit; text-decoration: none; }
  h2, h3, h4 { break-after: avoid; }
  .scroll, .drawing { overflow: visible; }
  .drawing > svg, .drawing.wide > svg, .panels svg { max-width: 100%; min-width: 0; }
  thead { display: table-header-group; }
  thead th[class], .number { white-space: normal; }
  tr { break-inside: avoid; }
  .marked > * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
