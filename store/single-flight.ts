/** One piece of work for all callers of a key while it runs. `running` is bounded by those who wait. */
export function once<T>(running: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = running.get(key);
  if (known) return known;
  const answer = work().finally(() => running.delete(key));
  running.set(key, answer);
  return answer;
}
