export { EXIT, type ExitCode, RecalError, type Where } from './base/errors.js';
export { printable } from './base/printable.js';
export type { Entity, EntityType, Event } from './ingest/event.js';
