// Where the reference and a job lie in memory: the words that src/detect/knn/search-memory.ts writes, by name.

// @ts-ignore: decorator
@inline function word(at: usize, index: usize): usize {
  return <usize>load<u32>(at + (index << 2));
}

/** The reference, the same for all jobs. */
// @ts-ignore: decorator
@inline export function widthOf(s: usize): usize { return word(s, 0); }
/** Dimensions after which most distances are known to be too large. */
// @ts-ignore: decorator
@inline export function headOf(s: usize): usize { return word(s, 1); }
/** Grid steps of the reference's points, by number. */
// @ts-ignore: decorator
@inline export function stepsOf(s: usize): usize { return word(s, 2); }
/** Blocks of 16 places: for each dimension 16 floats. */
// @ts-ignore: decorator
@inline export function blocksOf(s: usize): usize { return word(s, 3); }
/** Number and multiplicity of the point at each place. */
// @ts-ignore: decorator
@inline export function numbersOf(s: usize): usize { return word(s, 4); }
// @ts-ignore: decorator
@inline export function multiplicityOf(s: usize): usize { return word(s, 5); }
/** Bounds of the distances from the cell's centre, by block: two floats. */
// @ts-ignore: decorator
@inline export function ringsOf(s: usize): usize { return word(s, 6); }
// @ts-ignore: decorator
@inline export function cellsOf(s: usize): usize { return word(s, 7); }
/** Centres in blocks of 16, as points are. */
// @ts-ignore: decorator
@inline export function centresOf(s: usize): usize { return word(s, 8); }
/** First block of each cell, and one more. */
// @ts-ignore: decorator
@inline export function firstBlocksOf(s: usize): usize { return word(s, 9); }
/** Upper bound of each cell's radius. */
// @ts-ignore: decorator
@inline export function radiiOf(s: usize): usize { return word(s, 10); }
/** Width × width float64: coordinate i times row i. */
// @ts-ignore: decorator
@inline export function rotationOf(s: usize): usize { return word(s, 11); }
/** Relative error of a float32 distance. */
// @ts-ignore: decorator
@inline export function relativeOf(s: usize): f64 { return load<f64>(s + 64); }
/** Largest norm of a point. */
// @ts-ignore: decorator
@inline export function largestOf(s: usize): f64 { return load<f64>(s + 72); }

/** A job: queries and what to do with them. */
// @ts-ignore: decorator
@inline export function countOf(j: usize): usize { return word(j, 3); }
// @ts-ignore: decorator
@inline export function queryStepsOf(j: usize): usize { return word(j, 4); }
/** Rotated queries, float32. */
// @ts-ignore: decorator
@inline export function rotatedOf(j: usize): usize { return word(j, 5); }
/** Norm of each query, float32 rounded up. */
// @ts-ignore: decorator
@inline export function normsOf(j: usize): usize { return word(j, 6); }
/** Nearest cell of each query, and the distance of its centre. */
// @ts-ignore: decorator
@inline export function homesOf(j: usize): usize { return word(j, 7); }
// @ts-ignore: decorator
@inline export function homeDistancesOf(j: usize): usize { return word(j, 8); }
/** Queries in the order they are worked on. */
// @ts-ignore: decorator
@inline export function orderOf(j: usize): usize { return word(j, 9); }
// @ts-ignore: decorator
@inline export function neighboursOf(j: usize): usize { return word(j, 10); }
// @ts-ignore: decorator
@inline export function resultsOf(j: usize): usize { return word(j, 11); }
/** Second result, or 0. */
// @ts-ignore: decorator
@inline export function namesOf(j: usize): usize { return word(j, 12); }
/** 1: a point counts as often as its multiplicity. */
// @ts-ignore: decorator
@inline export function weightedOf(j: usize): bool { return word(j, 13) != 0; }
// @ts-ignore: decorator
@inline export function thresholdOf(j: usize): f64 { return load<f64>(j + 64); }

/** The next piece of the job, or its end. */
// @ts-ignore: decorator
@inline export function takeFirst(j: usize): usize {
  return <usize>atomic.add<u32>(j, 1) * word(j, 2);
}
// @ts-ignore: decorator
@inline export function endOf(j: usize, first: usize): usize {
  return min<usize>(first + word(j, 2), countOf(j));
}
/** Pairs of a query and a point whose distance was worked out, and those of a query and a centre. */
export function countPairs(j: usize, points: u64, centres: u64): void {
  atomic.add<u64>(j + 72, points);
  atomic.add<u64>(j + 80, centres);
}
