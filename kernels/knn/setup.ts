// The words that src/detect/knn/search-memory.ts writes: addresses and counts of the reference and of a job.

// @ts-ignore: decorator
@inline function word(at: usize, index: usize): usize {
  return <usize>load<u32>(at + (index << 2));
}

// The setup describes the reference and is the same for all jobs.
// @ts-ignore: decorator
@inline export function widthOf(s: usize): usize { return word(s, 0); }
/** Dimensions after which most distances are already too large. */
// @ts-ignore: decorator
@inline export function headOf(s: usize): usize { return word(s, 1); }
/** Grid steps of the reference's points, by number. */
// @ts-ignore: decorator
@inline export function stepsOf(s: usize): usize { return word(s, 2); }
/** Blocks of 16 points: for each dimension 16 floats. */
// @ts-ignore: decorator
@inline export function blocksOf(s: usize): usize { return word(s, 3); }
/** The number and the multiplicity of the point at each place. */
// @ts-ignore: decorator
@inline export function numbersOf(s: usize): usize { return word(s, 4); }
// @ts-ignore: decorator
@inline export function multiplicityOf(s: usize): usize { return word(s, 5); }
/** By block, two floats: bounds of the distances from the cell's centre. */
// @ts-ignore: decorator
@inline export function ringsOf(s: usize): usize { return word(s, 6); }
// @ts-ignore: decorator
@inline export function cellsOf(s: usize): usize { return word(s, 7); }
/** Centres in blocks of 16, like points. */
// @ts-ignore: decorator
@inline export function centresOf(s: usize): usize { return word(s, 8); }
/** First block of each cell, and the end of the last one. */
// @ts-ignore: decorator
@inline export function firstBlocksOf(s: usize): usize { return word(s, 9); }
/** Upper bound of each cell's radius. */
// @ts-ignore: decorator
@inline export function radiiOf(s: usize): usize { return word(s, 10); }
/** Principal axes, float64: row i belongs to coordinate i. */
// @ts-ignore: decorator
@inline export function rotationOf(s: usize): usize { return word(s, 11); }
/** The relative error of a float32 distance. */
// @ts-ignore: decorator
@inline export function relativeOf(s: usize): f64 { return load<f64>(s + 64); }
/** The largest norm of a point. */
// @ts-ignore: decorator
@inline export function largestOf(s: usize): f64 { return load<f64>(s + 72); }

/** A job: its queries and results. */
// @ts-ignore: decorator
@inline export function countOf(j: usize): usize { return word(j, 3); }
// @ts-ignore: decorator
@inline export function queryStepsOf(j: usize): usize { return word(j, 4); }
/** Rotated queries, float32. */
// @ts-ignore: decorator
@inline export function rotatedOf(j: usize): usize { return word(j, 5); }
/** The norm of each query, float32 rounded up. */
// @ts-ignore: decorator
@inline export function normsOf(j: usize): usize { return word(j, 6); }
/** The nearest cell of each query, and the distance of its centre. */
// @ts-ignore: decorator
@inline export function homesOf(j: usize): usize { return word(j, 7); }
// @ts-ignore: decorator
@inline export function homeDistancesOf(j: usize): usize { return word(j, 8); }
/** Queries in processing order. */
// @ts-ignore: decorator
@inline export function orderOf(j: usize): usize { return word(j, 9); }
// @ts-ignore: decorator
@inline export function neighboursOf(j: usize): usize { return word(j, 10); }
// @ts-ignore: decorator
@inline export function resultsOf(j: usize): usize { return word(j, 11); }
/** Numbers of the nearest points, or 0 if only scores are wanted. */
// @ts-ignore: decorator
@inline export function namesOf(j: usize): usize { return word(j, 12); }
/** True if a point counts as often as its multiplicity. */
// @ts-ignore: decorator
@inline export function weightedOf(j: usize): bool { return word(j, 13) != 0; }
// @ts-ignore: decorator
@inline export function thresholdOf(j: usize): f64 { return load<f64>(j + 64); }

/** Takes the next piece of the job: the index of its first query. */
// @ts-ignore: decorator
@inline export function takeFirst(j: usize): usize {
  return <usize>atomic.add<u32>(j, 1) * word(j, 2);
}
// @ts-ignore: decorator
@inline export function endOf(j: usize, first: usize): usize {
  return min<usize>(first + word(j, 2), countOf(j));
}
/** Counts computed pairs of a query and a point, and of a query and a centre. */
export function countPairs(j: usize, points: u64, centres: u64): void {
  atomic.add<u64>(j + 72, points);
  atomic.add<u64>(j + 80, centres);
}
