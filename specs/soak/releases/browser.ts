import type { RunningRelease } from "./running-release.ts";

const PASSWORDS = (name: string) => `demo ${name} password`;
/** As a page of the service's own host sends them. */
const HEADERS = { "x-service-client": "soak", "sec-fetch-site": "same-origin" };

/** A browser with a cookie session that it began at that release. Requests throw when they are refused. */
export async function browserAt(release: RunningRelease, username: string) {
  const cookies = new Map<string, string>();

  async function send(to: RunningRelease, method: string, path: string, body?: object): Promise<void> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(`${to.http}${path}`, {
      method,
      headers: { ...HEADERS, cookie, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    for (const line of answer.headers.getSetCookie()) keep(line);
    if (!answer.ok) throw new Error(`${to.name} answered ${method} ${path}: ${await answer.text()}`);
  }

  function keep(line: string): void {
    const [pair = ""] = line.split(";");
    const [name = "", ...value] = pair.split("=");
    if (/; *max-age=0(;|$)/i.test(line)) cookies.delete(name);
    else cookies.set(name, value.join("="));
  }

  await send(release, "POST", "/v1/auth/login", { login: username, password: PASSWORDS(username) });
  return {
    get: (to: RunningRelease, path: string) => send(to, "GET", path),
    refresh: (to: RunningRelease) => send(to, "POST", "/v1/auth/refresh"),
  };
}
