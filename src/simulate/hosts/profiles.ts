import type { Scenario } from '../options.js';
import { freebsdServer } from './freebsd-server.js';
import type { HostProfile } from './host-profile.js';
import { linuxDesktop } from './linux-desktop.js';
import { linuxWorkstation } from './linux-workstation.js';

/** The demo is small: fewer events of the hub processes leave room for people. */
const DEMO_SHARES: Readonly<Record<string, number>> = {
  'debug-log': 0.12,
  lease: 0.06,
  people: 0.2,
  'mail-out': 0.03,
};

const demo: HostProfile = {
  ...freebsdServer,
  hostName: 'sim-demo',
  workloads: freebsdServer.workloads.map((workload) => ({
    ...workload,
    share: DEMO_SHARES[workload.name] ?? workload.share,
  })),
};

const PROFILES: Readonly<Record<Scenario, HostProfile>> = {
  'freebsd-server': freebsdServer,
  'linux-desktop': linuxDesktop,
  'linux-workstation': linuxWorkstation,
  demo,
};

export function findProfile(scenario: Scenario): HostProfile {
  return PROFILES[scenario];
}
