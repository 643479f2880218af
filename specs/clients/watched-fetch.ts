/** The real `fetch`, which records each request, keeps cookies as a browser does, and can simulate a bad network. */
export function watchedFetch(cookies = new Map<string, string>()) {
  const seen: { path: string; headers: Headers }[] = [];
  const held = new Map<string, Promise<void>>();
  const instead = new Map<string, Response[]>();
  const spoiled = new Set<string>();
  const lost = new Set<string>();

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname: path } = new URL(String(input));
    const headers = new Headers(init?.headers);
    if (init?.credentials === "include" && cookies.size > 0) {
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    seen.push({ path, headers: new Headers(headers) });
    const given = instead.get(path)?.shift();
    if (given) return given;
    if (spoiled.delete(path)) headers.set("authorization", "Bearer too.old");
    const late = held.get(path);
    held.delete(path);
    const answer = await globalThis.fetch(input, { ...init, headers });
    if (lost.delete(path)) throw new TypeError("fetch failed");
    await late;
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };

  return {
    fetch,
    seen,
    cookies,
    count: (path: string) => seen.filter((one) => one.path === path).length,
    /** Delays the next response from that path; returns a function that releases it. */
    hold(path: string): () => void {
      const { promise, free } = gate();
      held.set(path, promise);
      return free;
    },
    /** The next request to that path has an expired token. */
    spoil: (path: string) => void spoiled.add(path),
    /** The next response from that path is lost. */
    lose: (path: string) => void lost.add(path),
    /** A proxy answers the next requests to that path. */
    answerInstead: (path: string, ...answers: Response[]) => void instead.set(path, answers),
  };
}

function gate() {
  let free: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    free = resolve;
  });
  return { promise, free };
}
