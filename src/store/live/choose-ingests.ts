/** An ingest of so many events is not merged again. */
const FULL = 125_000;
/** A merge takes at most so many events, which bounds its memory. */
const MOST = 2 * FULL;
/** A merge takes an ingest in if it has at most so many times the events of all newer ones. */
const BALANCE = 2;

export interface OpenIngest {
  readonly number: number;
  readonly events: number;
}

/**
 * Chooses which ingests to merge into one; the oldest come first. If there are enough events, they make a full one. Otherwise
 * like is merged with like, so that an event is rewritten a few times, however small the commits are.
 */
export function chooseIngests(open: readonly OpenIngest[]): OpenIngest[] {
  const oldest = takeWhile(open, (events, sum) => sum + events <= MOST);
  if (sumOf(oldest) >= FULL) return oldest;
  const newest = takeWhile([...open].reverse(), (events, sum, taken) => taken < 2 || events <= BALANCE * sum);
  return newest.reverse();
}

/** Whether an ingest stays as it is. */
export function isFull(events: number): boolean {
  return events >= FULL;
}

function takeWhile(
  ingests: readonly OpenIngest[],
  fits: (events: number, sum: number, taken: number) => boolean,
): OpenIngest[] {
  let sum = 0;
  const end = ingests.findIndex(({ events }, taken) => {
    if (!fits(events, sum, taken)) return true;
    sum += events;
    return false;
  });
  return ingests.slice(0, end < 0 ? undefined : end);
}

function sumOf(ingests: readonly OpenIngest[]): number {
  return ingests.reduce((sum, { events }) => sum + events, 0);
}
