import { nameTemplate } from '../../../features/name-template.js';

/** The role of a host: its name without numbers, so that `web-01` and `web-02` have one role. */
export function roleOf(hostName: string): string {
  return nameTemplate(hostName).replace(/[-_.]?<[a-z]+>/g, '');
}
