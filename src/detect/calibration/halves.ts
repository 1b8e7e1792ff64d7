/**
 * Assigns each calibration graph to a half (method §9). The graphs of each host alternate, so that both halves have graphs
 * of every host. Hosts with a single graph alternate too.
 */
export function halvesOf(hosts: readonly number[]): (0 | 1)[] {
  const turns = new Map<number, number>();
  return hosts.map((host) => {
    const turn = turns.get(host) ?? turns.size;
    turns.set(host, turn + 1);
    return (turn % 2) as 0 | 1;
  });
}
