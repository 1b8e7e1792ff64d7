import type { HostIdentity } from '../audit/dialect.js';
import type { Machine } from '../kernel/machine.js';
import type { Format } from '../options.js';
import { Auditd } from './auditd/auditd.js';
import type { Collector } from './collector.js';
import { Sysmon } from './sysmon/sysmon.js';
import { Tetragon } from './tetragon/tetragon.js';

/** The host runs this long before its log begins. */
const UPTIME_SECONDS = 900;

/** The collectors by format. Each watches Linux only. `machine` is not yet complete when the collector is made. */
const COLLECTORS: Partial<
  Record<Format, (host: HostIdentity, inFleet: boolean, machine: () => Machine) => Collector>
> = {
  auditd: (host, inFleet, machine) => new Auditd(host, inFleet, false, machine),
  'auditd-enriched': (host, inFleet, machine) => new Auditd(host, inFleet, true, machine),
  sysmon: (host) => new Sysmon(host, host.startSeconds - UPTIME_SECONDS),
  tetragon: (host, _, machine) => new Tetragon(host, host.startSeconds - UPTIME_SECONDS, machine),
};

/** The collector of a format; undefined for the formats of the performer's own audit system. */
export function makeCollector(
  format: Format,
  host: HostIdentity,
  inFleet: boolean,
  machine: () => Machine,
): Collector | undefined {
  return COLLECTORS[format]?.(host, inFleet, machine);
}
