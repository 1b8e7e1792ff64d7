import type { EntityType } from '../ingest/event.js';
import { addressTokens, endpointTokens } from './address-tokens.js';

/** The attributes of an entity that become tokens (method §2). */
export interface Attributes {
  readonly type: EntityType;
  readonly name?: string | undefined;
  readonly cmd?: string | undefined;
  /** `address:port` of the local side of a flow. */
  readonly local?: string | undefined;
}

/**
 * Limits per entity. Attackers choose names, which may be a megabyte long; real paths and command lines stay well below
 * the limits.
 */
const MAX_TOKENS = 256;
export const MAX_TOKEN_LENGTH = 64;
const MAX_TEXT_LENGTH = 16_384;

/** Separators in paths and in the names within them (method §2). */
const NAME_SEPARATORS = /[/\\.\-_]+/;
/** Separators in command lines. Some sources replace blanks by control characters such as NUL. */
const COMMAND_SEPARATORS = /[\s=\u0000-\u001f\u007f]+/;
const DIGITS = /[0-9]+/g;

/** The tokens of an entity: those of its name, then of its command line; for a flow, those of its address and port. */
export function tokenise(entity: Attributes): string[] {
  const tokens: string[] = [];
  if (entity.type === 'flow') {
    // The local endpoint matters only for a listening socket, which has no remote endpoint.
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
    pushName(text, tokens); // the path of a Unix socket, or another name
    return;
  }
  if (known.name !== undefined) pushName(known.name, tokens);
  for (const token of known.tokens) push(token, tokens);
}

function pushCommand(text: string, tokens: string[]): void {
  for (const word of text.slice(0, MAX_TEXT_LENGTH).split(COMMAND_SEPARATORS)) {
    if (tokens.length >= MAX_TOKENS) return;
    // As a name, an address would become four times `#`.
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
  // A lone surrogate has no UTF-8 form, so distinct tokens would become equal in the model file.
  tokens.push(token.slice(0, MAX_TOKEN_LENGTH).toWellFormed());
}
