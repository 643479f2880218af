import { isThisMachine } from "../../../base/this-machine.ts";
import type { Schema } from "./schemas.ts";
import { Secret } from "./secret.ts";

/** An entry of OAUTH_PROVIDERS; docs/sign-in.md explains it. */
export type ProviderSetting = {
  id: string;
  name: string;
  kind: "oidc" | "oauth";
  issuer: string;
  clientId: string;
  clientSecret: Secret | null;
  clientAuth: "basic" | "post";
  responseMode: "query" | "form_post";
  scopes: readonly string[];
  parameters: Readonly<Record<string, string>>;
  emailDomains: readonly string[] | null;
  nativeRedirectUris: readonly string[];
  endpoints: {
    authorization: string;
    token: string;
    userinfo: string;
    fields: { subject: string; email: string | null; emailVerified: string | null };
  } | null;
};

const MAX_PROVIDERS = 50;
const FIELDS = [
  ...[
    "id",
    "name",
    "kind",
    "issuer",
    "client_id",
    "client_secret",
    "client_auth",
    "response_mode",
    "scopes",
    "parameters",
  ],
  ...["email_domains", "native_redirect_uris", "authorization_endpoint", "token_endpoint"],
  ...["userinfo_endpoint", "userinfo_fields"],
];
/** Parameters that only the service sets: another value would defeat their purpose. */
const OURS = new Set([
  ...["response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce"],
  ...["code_challenge", "code_challenge_method", "request", "request_uri"],
]);

/** https, or plain http on this machine, which production refuses separately. */
function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isKnown = protocol === "https:" || (protocol === "http:" && isThisMachine(hostname));
  return isKnown && !username && !password && !hash;
}

/** Error messages never quote a value: it may be a secret that was put into the wrong field. */
export const oauthProviders: Schema<readonly ProviderSetting[]> = {
  shape: "a JSON list",
  parse(value) {
    if (value === "") return [];
    const list = listFrom(value);
    const found = list.map((entry, index) => providerFrom(entry, `entry ${index + 1}`));
    if (new Set(found.map(({ id }) => id)).size < found.length)
      throw new Error("has two entries with the same id");
    return found;
  },
};

function listFrom(value: string): unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(value);
  } catch {
    // The parser's own message quotes the text, and with it secrets.
    throw new Error("must be a JSON list");
  }
  if (!Array.isArray(list) || list.length > MAX_PROVIDERS)
    throw new Error(`must be a JSON list of at most ${MAX_PROVIDERS} providers`);
  return list;
}

function providerFrom(entry: unknown, where: string): ProviderSetting {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    throw new Error(`has something other than an object as ${where}`);
  const fields: Record<string, unknown> = { ...entry };
  const unknown = Object.keys(fields).filter((name) => !FIELDS.includes(name));
  if (unknown.length > 0) throw new Error(`has unknown fields in ${where}: ${unknown.join(", ")}`);
  const read = readerOf(fields, where);

  const kind = read.oneOf("kind", ["oidc", "oauth"], "oidc");
  const clientSecret = read.optional("client_secret", /^[^\p{Cc}]{1,8192}$/u);
  const scopes = read.list("scopes", /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/) ?? ["openid", "email"];
  if (kind === "oidc" && !scopes.includes("openid"))
    throw new Error(`needs the scope openid in ${where}, or kind oauth`);
  const domains = read.list("email_domains", /^[a-z0-9.-]{3,253}$/);
  return {
    id: read.text("id", /^[a-z][a-z0-9-]{0,31}$/),
    // Mails contain the name, so it mustn't be able to hold a link.
    name: read.text("name", /^[\p{L}\p{N}][\p{L}\p{N} '&()-]{0,63}$/u),
    kind,
    issuer: read.address("issuer"),
    clientId: read.text("client_id", /^[\x20-\x7e]{1,512}$/),
    clientSecret: clientSecret === null ? null : new Secret(clientSecret),
    clientAuth: read.oneOf("client_auth", ["basic", "post"], "basic"),
    responseMode: read.oneOf("response_mode", ["query", "form_post"], "query"),
    scopes,
    parameters: read.parameters(),
    emailDomains: domains,
    nativeRedirectUris: (read.list("native_redirect_uris", /^[a-z][a-z0-9+.-]*:[^\s#?]+$/) ?? []).map(
      (uri) => {
        // Compared and sent verbatim, so it must be in the normalised form of a URL.
        if (!URL.canParse(uri) || new URL(uri).href !== uri)
          throw new Error(`has a native redirect URI in ${where} that isn't in its normal form`);
        return uri;
      },
    ),
    endpoints:
      kind === "oidc"
        ? null
        : {
            authorization: read.address("authorization_endpoint"),
            token: read.address("token_endpoint"),
            userinfo: read.address("userinfo_endpoint"),
            fields: read.userinfoFields(),
          },
  };
}

function readerOf(fields: Record<string, unknown>, where: string) {
  const wrong = (name: string) => new Error(`has a missing or invalid ${name} in ${where}`);

  function optional(name: string, form: RegExp): string | null {
    const value = fields[name];
    if (value === undefined || value === null) return null;
    if (typeof value !== "string" || !form.test(value)) throw wrong(name);
    return value;
  }
  function text(name: string, form: RegExp): string {
    const value = optional(name, form);
    if (value === null) throw wrong(name);
    return value;
  }
  function objectOf(name: string): Record<string, unknown> {
    const value = fields[name] ?? {};
    if (typeof value !== "object" || Array.isArray(value)) throw wrong(name);
    return { ...value };
  }
  const path = /^\w+(\.\w+){0,5}$/;
  return {
    optional,
    text,
    oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const value = fields[name] ?? fallback;
      const found = allowed.find((one) => one === value);
      if (found === undefined) throw wrong(name);
      return found;
    },
    list(name: string, form: RegExp): string[] | null {
      const value = fields[name];
      if (value === undefined || value === null) return null;
      if (!Array.isArray(value) || value.length > 100) throw wrong(name);
      return value.map((one: unknown) => {
        if (typeof one !== "string" || !form.test(one)) throw wrong(name);
        return one;
      });
    },
    address(name: string): string {
      const value = text(name, /^\S{1,2048}$/);
      if (!isSafeAddress(value))
        throw new Error(`needs an https address as ${name} in ${where} (http on this machine alone)`);
      return value;
    },
    parameters(): Record<string, string> {
      return Object.fromEntries(
        Object.entries(objectOf("parameters")).map(([name, value]) => {
          if (typeof value !== "string") throw wrong("parameters");
          if (OURS.has(name)) throw new Error(`sets a reserved parameter in ${where}: ${name}`);
          return [name, value];
        }),
      );
    },
    userinfoFields(): { subject: string; email: string | null; emailVerified: string | null } {
      const {
        subject,
        email = null,
        email_verified: emailVerified = null,
        ...more
      } = objectOf("userinfo_fields");
      const isPath = (value: unknown): value is string => typeof value === "string" && path.test(value);
      const mayBePath = (value: unknown): value is string | null => value === null || isPath(value);
      if (!isPath(subject) || !mayBePath(email) || !mayBePath(emailVerified) || Object.keys(more).length > 0)
        throw wrong("userinfo_fields");
      return { subject, email, emailVerified };
    },
  };
}

/** Where browsers may be redirected to: full URLs without a fragment, since codes and tokens are put into it. */
export const returnUrls: Schema<readonly string[]> = {
  shape: "https://…, separated by commas",
  parse: (value) =>
    value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "")
      .map((entry) => {
        if (!isSafeAddress(entry))
          throw new Error(
            "must be https addresses without credentials and fragment (http on this machine alone)",
          );
        return entry;
      }),
};

/** The ids of providers and the return URLs that use plain http, which is for this machine only; production refuses them. */
export const plainIn = (providers: readonly ProviderSetting[], urls: readonly string[]): string[] => [
  ...providers
    .filter(({ issuer, endpoints }) =>
      [issuer, endpoints?.authorization, endpoints?.token, endpoints?.userinfo].some((url) =>
        url?.startsWith("http://"),
      ),
    )
    .map(({ id }) => id),
  ...urls.filter((url) => url.startsWith("http://")),
];
