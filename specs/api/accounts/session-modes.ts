import { type Answer, type Api, createApi } from "../../support/api.ts";
import { newName, PASSWORD } from "./open-accounts.ts";

type Cookie = { value: string; attributes: Record<string, string> };

/** The cookies that an answer sets, by name; attribute names are in lower case. */
export function cookiesOf(answer: Answer): Record<string, Cookie> {
  return Object.fromEntries(
    answer.headers.getSetCookie().map((line) => {
      const [pair = "", ...rest] = line.split("; ");
      const split = (part: string): [string, string] => {
        const at = part.indexOf("=");
        return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
      };
      const [name, value] = split(pair);
      const attributes = rest.map((part) => split(part)).map(([key, text]) => [key.toLowerCase(), text]);
      return [name, { value: decodeURIComponent(value), attributes: Object.fromEntries(attributes) }];
    }),
  );
}

const field = (body: unknown, name: string): string => {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  if (typeof value !== "string") throw new Error(`The answer has no ${name}: ${JSON.stringify(body)}`);
  return value;
};

/** A session as a client holds it, in either mode. */
type Held = { access: string; refresh: string; deviceId: string; answer: Answer };

/** The id of the session: the device id without its secret. */
export const sessionIdOf = ({ deviceId }: Pick<Held, "deviceId">): string => deviceId.split(".")[0] ?? "";

export type Mode = {
  name: "bearer" | "cookie";
  /** Sent with every request of a client of this mode. */
  always: Record<string, string>;
  held(answer: Answer): Held;
  signedIn(access: string): Record<string, string>;
  refreshing(refresh: string): { body?: unknown; headers?: Record<string, string> };
};

export const modes: Mode[] = [
  {
    name: "bearer",
    always: { "x-auth-mode": "bearer" },
    held: (answer) => ({
      access: field(answer.body, "access_token"),
      refresh: field(answer.body, "refresh_token"),
      deviceId: field(answer.body, "device_id"),
      answer,
    }),
    signedIn: (access) => ({ authorization: `Bearer ${access}` }),
    refreshing: (refresh) => ({ body: { refresh_token: refresh } }),
  },
  {
    name: "cookie",
    always: { "x-service-client": "specs" },
    held: (answer) => ({
      access: cookiesOf(answer).lc_access_token?.value ?? "",
      refresh: cookiesOf(answer).lc_refresh_token?.value ?? "",
      deviceId: cookiesOf(answer).lc_device_id?.value ?? "",
      answer,
    }),
    signedIn: (access) => ({ cookie: `lc_access_token=${access}` }),
    refreshing: (refresh) => ({ headers: { cookie: `lc_refresh_token=${refresh}` } }),
  },
];

/** A client of that mode: registers a new user and performs all session operations. */
export function clientOf(baseUrl: string, mode: Mode) {
  const api = createApi(baseUrl, mode.always);
  const required = (answer: Answer): Held => {
    if (answer.status >= 300) throw new Error(`refused with ${answer.status} ${JSON.stringify(answer.body)}`);
    return mode.held(answer);
  };
  return {
    api,
    as: (access: string): Api => api.with(mode.signedIn(access)),
    async register(username = newName()): Promise<Held & { username: string }> {
      const body = { username, email: `${username}@example.org`, password: PASSWORD };
      return { username, ...required(await api.call("register", { body })) };
    },
    login: async (username: string) =>
      required(await api.call("login", { body: { login: username, password: PASSWORD } })),
    refresh: (refresh: string) => api.call("refresh", mode.refreshing(refresh)),
    required,
  };
}
