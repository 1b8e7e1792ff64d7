import type { EntityType } from '../ingest/event.js';
import { addressTokens, endpointTokens } from './address-tokens.js';

/** What a log says of an entity in words: the part of it that becomes tokens (method §2). */
export interface Attributes {
  readonly type: EntityType;
  readonly name?: string | undefined;
  readonly cmd?: string | undefined;
  /** `address:port` of the local side of a flow. */
  readonly local?: string | undefined;
}

/**
 * Names are chosen by attackers, and one may be a megabyte long. Real paths and command lines end well before these;
 * what is beyond is left out, so that an entity costs a bounded amount of work and of vocabulary.
 */
export const MAX_TOKENS = 256;
export const MAX_TOKEN_LENGTH = 64;
const MAX_TEXT_LENGTH = 16_384;

/** Paths split at their folders, and the names in them at `.`, `-` and `_` (method §2). */
const NAME_SEPARATORS = /[/\\.\-_]+/;
/** Command lines split at blanks and `=`. Some sources put control characters (NUL) where the blanks were. */
const COMMAND_SEPARATORS = /[\s=\u0000-\u001f\u007f]+/;
const DIGITS = /[0-9]+/g;

/** The tokens of an entity's attribute strings, in order: name, then command line; of a flow its address and port. */
export function tokenise(entity: Attributes): string[] {
  const tokens: string[] = [];
  if (entity.type === 'flow') {
    // The local side says something only where the remote one is not known: a listening socket.
    const endpoint = entity.name ?? entity.local;
    if (endpoint !== undefined) pushEndpoint(endpoint, tokens);
    return tokens;
  }
  if (entity.name !== undefined) pushName(entity.name, tokens);
  if (entity.cmd !== undefined) pushCommand(entity.cmd, tokens);
  return tokens;
}

function pushEndpoint(text: string, tokens: string[]): void {
  const known = endpointTokens(text);
  if (known === undefined) {
    pushName(text, tokens); // a Unix socket's path, or a name that is no address
    return;
  }
  if (known.name !== undefined) pushName(known.name, tokens);
  for (const token of known.tokens) push(token, tokens);
}

function pushCommand(text: string, tokens: string[]): void {
  for (const word of text.slice(0, MAX_TEXT_LENGTH).split(COMMAND_SEPARATORS)) {
    if (tokens.length >= MAX_TOKENS) return;
    // An address among the arguments is an address: split as a name it would be four times `#`.
    const address = addressTokens(word.toLowerCase());
    if (address === undefined) pushName(word, tokens);
    else for (const token of address) push(token, tokens);
  }
}

function pushName(text: string, tokens: string[]): void {
  for (const part of text.slice(0, MAX_TEXT_LENGTH).toLowerCase().split(NAME_SEPARATORS)) {
    if (tokens.length >= MAX_TOKENS) return;
    push(part.replace(DIGITS, '#'), tokens);
  }
}

function push(token: string, tokens: string[]): void {
  if (token === '' || tokens.length >= MAX_TOKENS) return;
  // Half a surrogate pair has no UTF-8 form: two such tokens would become one in the model file.
  tokens.push(token.slice(0, MAX_TOKEN_LENGTH).toWellFormed());
}
