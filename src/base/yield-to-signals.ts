/** Ends the current turn of the event loop, so that signal handlers and timers run during long computations. */
export function yieldToSignals(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
