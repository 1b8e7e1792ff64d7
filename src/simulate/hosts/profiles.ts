import type { Scenario } from '../options.js';
import { freebsdServer } from './freebsd-server.js';
import type { HostProfile } from './host.js';
import { linuxDesktop } from './linux-desktop.js';
import { linuxWorkstation } from './linux-workstation.js';

/** In so small a world the hubs would drown everything else, so the demo's server is less chatty and more lived in. */
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

export function profileOf(scenario: Scenario): HostProfile {
  return PROFILES[scenario];
}
