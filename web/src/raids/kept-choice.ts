const KEY = "livecore-raid-stay";

/** Whether the reader stays behind when that raid departs: known to all windows of this browser, and after a reload. */
export function staysFrom(raidId: string): boolean {
  try {
    return localStorage.getItem(KEY) === raidId;
  } catch {
    // The browser denies storage: it is as the page remembers.
    return false;
  }
}

export function keepStaying(raidId: string, stays: boolean): void {
  try {
    if (stays) localStorage.setItem(KEY, raidId);
    else if (localStorage.getItem(KEY) === raidId) localStorage.removeItem(KEY);
  } catch {
    // It lasts as long as the page.
  }
}

/** Calls back when another window of this browser has changed it. Returns what ends that. */
export function onChoice(call: () => void): () => void {
  const ended = new AbortController();
  addEventListener("storage", ({ key }) => key === KEY && call(), { signal: ended.signal });
  return () => ended.abort();
}
