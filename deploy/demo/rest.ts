import { setTimeout as pause } from "node:timers/promises";

export type Answer = { status: number; body: unknown; ms: number };

/** What the demo reads out of an answer; a missing field is an error, never `undefined`. */
export function field(body: unknown, ...path: string[]): unknown {
  let value = body;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !(name in value)) {
      throw new Error(`The answer has no field ${path.join(".")}: ${JSON.stringify(body).slice(0, 200)}`);
    }
    value = Reflect.get(value, name);
  }
  return value;
}

export function text(body: unknown, ...path: string[]): string {
  const value = field(body, ...path);
  if (typeof value !== "string") throw new Error(`${path.join(".")} should be a string`);
  return value;
}

export function integer(body: unknown, ...path: string[]): number {
  const value = field(body, ...path);
  if (!Number.isInteger(value)) throw new Error(`${path.join(".")} should be an integer`);
  return Number(value);
}

export function list(body: unknown, ...path: string[]): unknown[] {
  const value = field(body, ...path);
  if (!Array.isArray(value)) throw new Error(`${path.join(".")} should be a list`);
  return value;
}

export type Rest = ReturnType<typeof createRest>;

/** The public REST interface as a client in bearer mode sees it. Waits out 429 and 503 a few times, as one should. */
export function createRest(baseUrl: string) {
  async function once(
    method: string,
    path: string,
    options: CallOptions,
  ): Promise<Answer & { wait: number }> {
    const started = performance.now();
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        ...(options.form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
        ...(options.json === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(options.form ? { body: options.form } : {}),
      ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
      redirect: "manual",
      signal: AbortSignal.timeout(30_000),
    });
    const raw = await response.text();
    const body: unknown = raw === "" ? null : JSON.parse(raw);
    const wait = Number(response.headers.get("retry-after") ?? "1") * 1_000;
    return { status: response.status, body, ms: performance.now() - started, wait };
  }

  return {
    /** Any answer, also a refusal. */
    async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
      for (let tries = 1; ; tries++) {
        const answer = await once(method, path, options);
        const busy = answer.status === 429 || answer.status === 503;
        if (!busy || tries === 4 || options.patience === false) return answer;
        await pause(Math.min(answer.wait, 5_000));
      }
    },
    /** The body of a 2xx answer; throws with the envelope otherwise. */
    async ok(method: string, path: string, options: CallOptions = {}): Promise<unknown> {
      const answer = await this.call(method, path, options);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    },
    /** All items of a paginated list. */
    async all(path: string, token: string): Promise<unknown[]> {
      const items: unknown[] = [];
      for (let page = 1; page <= 1_000; page++) {
        const body = await this.ok("GET", `${path}?page=${page}&per_page=100`, { token });
        items.push(...list(body, "items"));
        if (field(body, "has_more") !== true) break;
      }
      return items;
    },
  };
}

type CallOptions = {
  token?: string;
  json?: unknown;
  form?: string;
  headers?: Record<string, string>;
  /** false: a refusal is the answer that is wanted. */
  patience?: boolean;
};
