import { endpointTokens } from '../../features/address-tokens.js';
import { ENTITY_TYPES } from '../../ingest/event.js';

const COMPONENTS = 4;
const FLOW = ENTITY_TYPES.indexOf('flow');

/** The first four components of a name, with digits folded. An address keeps its digits: they are all it has. */
export function namePrefix(type: number, name: string): string {
  if (type === FLOW) {
    const tokens = endpointTokens(name)?.tokens ?? [];
    if (tokens.length >= COMPONENTS) return tokens[COMPONENTS - 1];
  }
  const components = name.split(/[/\\]+/, COMPONENTS + 1).filter(Boolean);
  return components
    .slice(0, COMPONENTS)
    .join('/')
    .replace(/[0-9]+/g, '#');
}
