/** What a log itself says of an event's direction, as stored per event. */
export const FLOW_UNKNOWN = 0;
/** Object → subject. */
export const FLOW_IN = 1;
/** Subject → object. */
export const FLOW_OUT = 2;
