/** Concurrent calls with the same key share one run of `work`. `running` is bounded by the number of waiting callers. */
export function singleFlight<T>(
  running: Map<string, Promise<T>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const known = running.get(key);
  if (known) return known;
  const answer = work().finally(() => running.delete(key));
  running.set(key, answer);
  return answer;
}
