/** Whether one id of a stream's entries comes before another; as numbers, not as text. */
export function isLess(a: string, b: string): boolean {
  const [aMs = 0, aN = 0] = a.split("-").map(Number);
  const [bMs = 0, bN = 0] = b.split("-").map(Number);
  return aMs === bMs ? aN < bN : aMs < bMs;
}
