/**
 * Which half of the calibration graphs each one goes to (method §9): those of a host in turn. One turn for all would, where
 * two hosts' graphs alternate, compare each host with the other alone. Hosts that have one graph each go in turn too.
 */
export function halvesOf(hosts: readonly number[]): (0 | 1)[] {
  const turns = new Map<number, number>();
  return hosts.map((host) => {
    const turn = turns.get(host) ?? turns.size;
    turns.set(host, turn + 1);
    return (turn % 2) as 0 | 1;
  });
}
