import { EXIT, RecalError } from '../base/errors.js';

export const SCENARIOS = ['freebsd-server', 'linux-desktop', 'linux-workstation', 'demo'] as const;
export const FORMATS = ['cdm18', 'ndjson', 'auditd', 'auditd-enriched', 'sysmon', 'tetragon'] as const;
export const LAYOUTS = ['parts', 'e3'] as const;

/** The part with the attacks or the unusual work. */
export const PLACEMENTS = ['test', 'none'] as const;

export type Scenario = (typeof SCENARIOS)[number];
export type Format = (typeof FORMATS)[number];
/** Formats of the audit systems of DARPA's performers, which also describe FreeBSD. The others watch Linux only. */
const PERFORMER_FORMATS: readonly Format[] = ['cdm18', 'ndjson'];

export const EXTENSIONS: Readonly<Record<Format, string>> = {
  cdm18: 'json',
  ndjson: 'ndjson',
  auditd: 'log',
  'auditd-enriched': 'log',
  sysmon: 'log',
  tetragon: 'json',
};

export type Layout = (typeof LAYOUTS)[number];
export type Placement = (typeof PLACEMENTS)[number];
/** Days of train, calibrate and test. */
export type Days = readonly [train: number, calibrate: number, test: number];

export interface SimulateOptions {
  scenario: Scenario;
  /** Output folder: new, empty, or from an earlier simulation, which is replaced. */
  out: string;
  /** Any integer. Default 1. */
  seed?: number;
  /**
   * Events per host in format cdm18, reached within about one percent (small simulations: docs/reference/simulator.md). With drift the
   * test has up to 50 % more. Default 60,000 for `demo`, else 1,000,000.
   */
  events?: number;
  /** How inconspicuous the attacks are: 0 loud, 1 quiet. Default 0.5. */
  stealth?: number;
  /** Default cdm18. */
  format?: Format;
  /** Default parts. */
  layout?: Layout;
  /** Number of independent hosts; if more than one, each has its own folder. Default 1. */
  hosts?: number;
  /** The part with attacks. Default test. */
  attacks?: Placement;
  /** The part with rare benign work. Default test. */
  unusual?: Placement;
  /** How much the host changes from the start of the test: 0 not at all, 1 much. Default 0. */
  drift?: number;
  /** Days per part, from a Monday; for layout parts only. Default: depends on the number of events. */
  days?: Days;
}

export type SimulationSettings = Required<Omit<SimulateOptions, 'days'>> & {
  readonly days: Days | undefined;
};

const DEMO_EVENTS = 60_000;
const DEFAULT_EVENTS = 1_000_000;
/** A smaller simulation has no room for its attacks and operators. */
const MINIMUM_EVENTS = 20_000;
/** Simulated time is exact for 104 days. */
const MOST_DAYS = 100;

/** Checks the options and fills in the defaults. */
export function resolveSettings(options: SimulateOptions): SimulationSettings {
  oneOf('scenario', options.scenario, SCENARIOS);
  const format = options.format ?? 'cdm18';
  const layout = options.layout ?? 'parts';
  oneOf('format', format, FORMATS);
  oneOf('layout', layout, LAYOUTS);
  if (!PERFORMER_FORMATS.includes(format) && !options.scenario.startsWith('linux')) {
    throw invalidOption(
      `the scenario ${options.scenario} is a FreeBSD host, and the format ${format} exists on Linux only`,
      `use --scenario linux-desktop or linux-workstation, or --format cdm18`,
    );
  }
  if (layout === 'e3' && options.scenario === 'demo') {
    throw invalidOption('the scenario demo has no e3 layout', 'use --scenario freebsd-server --layout e3');
  }
  const { attacks = 'test', unusual = 'test', drift = 0, days } = options;
  oneOf('attacks', attacks, PLACEMENTS);
  oneOf('unusual', unusual, PLACEMENTS);
  if (layout === 'e3' && (days !== undefined || drift > 0)) {
    throw invalidOption(
      'the e3 layout has fixed dates and no drift',
      'leave out --days and --drift, or use --layout parts',
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
    days: days === undefined ? undefined : checkDays(days),
  };
}

function checkDays(days: Days): Days {
  const total = days.reduce((sum, each) => sum + each, 0);
  if (
    days.length !== 3 ||
    !days.every((each) => Number.isSafeInteger(each) && each >= 1) ||
    total > MOST_DAYS
  ) {
    throw invalidOption(
      `days must be three whole numbers of at most ${MOST_DAYS} in total, not ${days.join(',')}`,
      'give the days of train, calibrate and test, for example --days 7,7,14',
    );
  }
  return days;
}

function oneOf(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value))
    throw invalidOption(`unknown ${name} '${value}'`, `use ${allowed.join(', ')}`);
}

function integer(name: string, value: number, low: number, high: number): number {
  if (!Number.isSafeInteger(value) || value < low || value > high) {
    throw invalidOption(
      `${name} must be a whole number from ${low} to ${high}, not ${value}`,
      `for example --${name} ${Math.max(low, 1)}`,
    );
  }
  return value;
}

function fraction(name: string, value: number, ends: string): number {
  if (!(value >= 0 && value <= 1)) {
    throw invalidOption(`${name} must be between 0 and 1, not ${value}`, `${ends}: --${name} 0.5`);
  }
  return value;
}

function invalidOption(message: string, hint: string): RecalError {
  return new RecalError('simulate-config', message, { hint, exit: EXIT.usage });
}
