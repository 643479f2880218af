/** A minimal browser (pages, cookies, redirects), as far as signing in by a provider needs it. */
export type Browser = ReturnType<typeof createBrowser>;

/** `hosts`: the real origin for each public origin. */
export function createBrowser(hosts: Readonly<Record<string, string>> = {}) {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (origin: string): Map<string, string> => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };

  /** Sends one request without following redirects; `fromElsewhere`: from another site's page, so that no cookies are sent. */
  async function request(url: string, init: RequestInit = {}, fromElsewhere = false): Promise<Response> {
    const wanted = new URL(url);
    const real = new URL(hosts[wanted.origin] ?? wanted.origin);
    const jar = jarOf(real.origin);
    const headers = new Headers(init.headers);
    if (jar.size > 0 && !fromElsewhere)
      headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(`${real.origin}${wanted.pathname}${wanted.search}`, {
      ...init,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(15_000),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0\b/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line))
        jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  const locationOf = (response: Response, from: string): string => {
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${from} answered ${response.status} without a Location`);
    return new URL(location, from).href;
  };

  return {
    request,
    cookies: (url: string) => jarOf(new URL(hosts[new URL(url).origin] ?? url).origin),
    /** The URL to which a page redirects. */
    async sentTo(url: string): Promise<string> {
      return locationOf(await request(url), url);
    },
    /** Signs in and consents as that person on the provider's pages, until they redirect elsewhere; returns that URL. */
    async approve(url: string, login: string, { abort = false } = {}): Promise<string> {
      const { origin } = new URL(url);
      let at = url;
      let response = await request(at);
      for (let step = 0; step < 20; step++) {
        if (response.status >= 300 && response.status < 400) {
          at = locationOf(response, at);
          if (!at.startsWith(origin)) return at;
          response = await request(at);
          continue;
        }
        const page = await response.text();
        const action = /action="([^"]+)"/.exec(page)?.[1];
        if (action && !action.startsWith("/") && new URL(action).origin !== origin) {
          const body = hiddenFieldsOf(page);
          return locationOf(await request(action, { method: "POST", body }, true), action);
        }
        const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
        if (!action || !prompt)
          throw new Error(`${at} shows no form: ${response.status} ${page.slice(0, 500)}`);
        at = new URL(action, at).href;
        if (abort) {
          at = `${at}/abort`;
          response = await request(at);
          continue;
        }
        const body = new URLSearchParams({ prompt, login, password: "any" });
        response = await request(at, { method: "POST", body });
      }
      throw new Error(`${url} goes round and round`);
    },
  };
}

/** The fields of a form that submits itself (`form_post`). */
const hiddenFieldsOf = (page: string): URLSearchParams =>
  new URLSearchParams(
    [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]): [string, string] => [name, value],
    ),
  );
