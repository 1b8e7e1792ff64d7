/** The sine code of a position (Vaswani et al. 2017), number k of `width`. */
export function positionCode(position: number, k: number, width: number): number {
  const angle = position * Math.exp((-Math.log(10_000) * (k - (k % 2))) / width);
  return k % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
}
