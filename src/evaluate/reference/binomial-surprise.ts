/** The one-sided log-likelihood ratio of `fresh` among `all`, where a share `rate` is usual. 0 if `fresh` is not more. */
export function binomialSurprise(fresh: number, all: number, rate: number): number {
  if (all === 0 || fresh <= all * rate) return 0;
  const share = fresh / all;
  const rest = all - fresh;
  return fresh * Math.log(share / rate) + (rest > 0 ? rest * Math.log((1 - share) / (1 - rate)) : 0);
}
