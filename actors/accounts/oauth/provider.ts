import { EMAIL_PATTERN, TYPED_INPUT } from "../../../contract/typed-input.ts";

/** A provider as configured by the operator (`OAUTH_PROVIDERS`); no part of it ever comes from a request. */
export type OauthProvider = {
  /** Used in paths. */
  id: string;
  /** The display name. */
  name: string;
  /** OpenID Connect, or plain OAuth 2 with configured endpoints and field mapping. */
  kind: "oidc" | "oauth";
  /** For OpenID Connect the exact issuer, else any stable name: it is part of the stored identities. */
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  clientAuth: "basic" | "post";
  /** How it sends browsers back: with a query, or by a POST, which some providers require. */
  responseMode: "query" | "form_post";
  scopes: readonly string[];
  /** Further parameters of the authorization request. */
  parameters: Readonly<Record<string, string>>;
  /** The domains whose addresses it may verify; null: any. */
  emailDomains: readonly string[] | null;
  /** The allowed redirect URIs of native clients, matched exactly. */
  nativeRedirectUris: readonly string[];
  /** For `oauth` only. */
  endpoints: OauthEndpoints | null;
};

export type OauthEndpoints = {
  authorization: string;
  token: string;
  userinfo: string;
  /** Paths in the answer of `userinfo`, such as "data.0.id"; null when it doesn't have the field. */
  fields: { subject: string; email: string | null; emailVerified: string | null };
};

export type OauthSettings = {
  providers: readonly OauthProvider[];
  /** The URLs that browsers may be sent back to, matched exactly; the first is the default. */
  returnUrls: readonly [string, ...string[]];
};

/** The user, as the provider reports. */
export type Profile = {
  subject: string;
  email: string | null;
  /** The provider reports it as verified, and may verify addresses of that domain. */
  isEmailVerified: boolean;
};

const ADDRESS = new RegExp(EMAIL_PATTERN);
const MAX_ADDRESS_LENGTH = 254;

/** The profile in these claims. Throws for an invalid subject. */
export function profileOf(
  provider: Pick<OauthProvider, "emailDomains">,
  claims: { subject: unknown; email: unknown; emailVerified: unknown },
): Profile {
  // A larger number isn't parsed exactly, so several users could share it.
  const subject = Number.isSafeInteger(claims.subject) ? String(claims.subject) : claims.subject;
  if (typeof subject !== "string" || subject === "" || subject.length > 255)
    throw new Error("The provider named nobody.");
  const email = addressIn(claims.email);
  // Apple sends the string "true".
  const isClaimed = claims.emailVerified === true || claims.emailVerified === "true";
  return { subject, email, isEmailVerified: email !== null && isClaimed && mayVouch(provider, email) };
}

/** As users type it. An address in a form that we don't accept counts as missing. */
function addressIn(claim: unknown): string | null {
  const email = typeof claim === "string" ? TYPED_INPUT.email(claim) : "";
  return email.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(email) ? email : null;
}

function mayVouch({ emailDomains }: Pick<OauthProvider, "emailDomains">, email: string): boolean {
  if (emailDomains === null) return true;
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return emailDomains.includes(domain);
}

/** The value at a path such as "data.0.id" in a parsed answer; undefined when it is missing. */
export function fieldAt(answer: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    return Object.entries(at).find(([key]) => key === name)?.[1];
  }, answer);
}
