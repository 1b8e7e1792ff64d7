import { EXIT, RecalError } from '../base/errors.js';

export const SCENARIOS = ['freebsd-server', 'linux-desktop', 'linux-workstation', 'demo'] as const;
export const FORMATS = ['cdm18', 'ndjson'] as const;
export const LAYOUTS = ['parts', 'e3'] as const;

export type Scenario = (typeof SCENARIOS)[number];
export type Format = (typeof FORMATS)[number];
export type Layout = (typeof LAYOUTS)[number];

export interface SimulateOptions {
  scenario: Scenario;
  /** Directory to write to; made if missing, files of the same names are replaced. */
  out: string;
  /** Any integer. Default 1. */
  seed?: number;
  /** Events per host, hit within about one percent (small worlds: docs/simulator.md). Default 60,000 for `demo`, else 1,000,000. */
  events?: number;
  /** 0 loud … 1 quiet. Default 0.5. */
  stealth?: number;
  /** Default cdm18. */
  format?: Format;
  /** Default parts. */
  layout?: Layout;
  /** Independent hosts of this kind; with more than one each has its own directory. Default 1. */
  hosts?: number;
}

export type Settings = Required<SimulateOptions>;

const DEMO_EVENTS = 60_000;
const DEFAULT_EVENTS = 1_000_000;
/** Below this a world is too small to hold its own attacks and operators. */
const MINIMUM_EVENTS = 20_000;

/** Fills in defaults and refuses what makes no sense, once, at the edge. */
export function settingsOf(options: SimulateOptions): Settings {
  oneOf('scenario', options.scenario, SCENARIOS);
  const format = options.format ?? 'cdm18';
  const layout = options.layout ?? 'parts';
  oneOf('format', format, FORMATS);
  oneOf('layout', layout, LAYOUTS);
  if (layout === 'e3' && options.scenario === 'demo') {
    throw usage('the demo world has no e3 layout', 'use --scenario freebsd-server --layout e3');
  }
  return {
    scenario: options.scenario,
    out: options.out,
    seed: integer('seed', options.seed ?? 1, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    events: integer(
      'events',
      options.events ?? (options.scenario === 'demo' ? DEMO_EVENTS : DEFAULT_EVENTS),
      MINIMUM_EVENTS,
      1e10,
    ),
    stealth: fraction('stealth', options.stealth ?? 0.5),
    format,
    layout,
    hosts: integer('hosts', options.hosts ?? 1, 1, 10_000),
  };
}

function oneOf(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value))
    throw usage(`${name} '${value}' is not known`, `one of: ${allowed.join(', ')}`);
}

function integer(name: string, value: number, low: number, high: number): number {
  if (!Number.isSafeInteger(value) || value < low || value > high) {
    throw usage(
      `${name} must be a whole number from ${low} to ${high}, not ${value}`,
      `for example --${name} ${Math.max(low, 1)}`,
    );
  }
  return value;
}

function fraction(name: string, value: number): number {
  if (!(value >= 0 && value <= 1)) {
    throw usage(`${name} must be between 0 and 1, not ${value}`, `0 is loud, 1 is quiet: --${name} 0.5`);
  }
  return value;
}

function usage(message: string, hint: string): RecalError {
  return new RecalError('simulate-option', message, { hint, exit: EXIT.usage });
}
