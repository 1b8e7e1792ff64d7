import { EXIT, RecalError } from '../base/errors.js';

export const SCENARIOS = ['freebsd-server', 'linux-desktop', 'linux-workstation', 'demo'] as const;
export const FORMATS = ['cdm18', 'ndjson'] as const;
export const LAYOUTS = ['parts', 'e3'] as const;

/** Where attacks and unusual work are: in the test part, or nowhere. */
export const PLACES = ['test', 'none'] as const;

export type Scenario = (typeof SCENARIOS)[number];
export type Format = (typeof FORMATS)[number];
export type Layout = (typeof LAYOUTS)[number];
export type Place = (typeof PLACES)[number];
/** Days of train, calibrate and test. */
export type Days = readonly [train: number, calibrate: number, test: number];

export interface SimulateOptions {
  scenario: Scenario;
  /** Directory to write to; made if missing, files of the same names are replaced. */
  out: string;
  /** Any integer. Default 1. */
  seed?: number;
  /** Events per host, hit within about one percent (small worlds: docs/reference/simulator.md); with drift the test has up to half as many more. Default 60,000 for `demo`, else 1,000,000. */
  events?: number;
  /** 0 loud … 1 quiet. Default 0.5. */
  stealth?: number;
  /** Default cdm18. */
  format?: Format;
  /** Default parts. */
  layout?: Layout;
  /** Independent hosts of this kind; with more than one each has its own directory. Default 1. */
  hosts?: number;
  /** `none`: a benign host. Default test. */
  attacks?: Place;
  /** Rare benign work; `none`: the test is like what came before. Default test. */
  unusual?: Place;
  /** How much the host itself changes from the start of the test: 0 not at all … 1 much. Default 0. */
  drift?: number;
  /** For layout parts; begins on a Monday. Default: by the number of events. */
  days?: Days;
}

export type Settings = Required<Omit<SimulateOptions, 'days'>> & { readonly days: Days | undefined };

const DEMO_EVENTS = 60_000;
const DEFAULT_EVENTS = 1_000_000;
/** Below this a world is too small to hold its own attacks and operators. */
const MINIMUM_EVENTS = 20_000;
/** Simulated time is exact up to 104 days. */
const MOST_DAYS = 100;

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
  const { attacks = 'test', unusual = 'test', drift = 0, days } = options;
  oneOf('attacks', attacks, PLACES);
  oneOf('unusual', unusual, PLACES);
  if (layout === 'e3' && (days !== undefined || drift > 0)) {
    throw usage(
      'the e3 layout has its own dates and its own weeks',
      'use --days and --drift with --layout parts',
    );
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
    stealth: fraction('stealth', options.stealth ?? 0.5, '0 is loud, 1 is quiet'),
    format,
    layout,
    hosts: integer('hosts', options.hosts ?? 1, 1, 10_000),
    attacks,
    unusual,
    drift: fraction('drift', drift, '0 is none, 1 is much'),
    days: days === undefined ? undefined : daysOf(days),
  };
}

function daysOf(days: Days): Days {
  const total = days.reduce((sum, each) => sum + each, 0);
  if (
    days.length !== 3 ||
    !days.every((each) => Number.isSafeInteger(each) && each >= 1) ||
    total > MOST_DAYS
  ) {
    throw usage(
      `days must be three whole numbers, at most ${MOST_DAYS} together, not ${days.join(',')}`,
      'days of train, calibrate and test: --days 7,7,14',
    );
  }
  return days;
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

function fraction(name: string, value: number, ends: string): number {
  if (!(value >= 0 && value <= 1)) {
    throw usage(`${name} must be between 0 and 1, not ${value}`, `${ends}: --${name} 0.5`);
  }
  return value;
}

function usage(message: string, hint: string): RecalError {
  return new RecalError('simulate-config', message, { hint, exit: EXIT.usage });
}
