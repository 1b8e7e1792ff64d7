/** The direction of information that the log gives for an event, as stored per event. */
export const FLOW_UNKNOWN = 0;
/** From the object to the subject. */
export const FLOW_IN = 1;
/** From the subject to the object. */
export const FLOW_OUT = 2;
