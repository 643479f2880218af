/** A provider as the operator has configured it (`OAUTH_PROVIDERS`); nothing of it ever comes from a request. */
export type OauthProvider = {
  /** In paths. */
  id: string;
  /** For people. */
  name: string;
  /** OpenID Connect, or plain OAuth 2 with endpoints and a mapping of its own. */
  kind: "oidc" | "oauth";
  /** Of OpenID Connect its exact issuer; otherwise whatever names it, for it is part of what is stored of people. */
  issuer: string;
  clientId: string;
  /** Null: a public client. */
  clientSecret: string | null;
  clientAuth: "basic" | "post";
  /** How it sends browsers back: with a query, or by a POST, which some ask for. */
  responseMode: "query" | "form_post";
  scopes: readonly string[];
  /** What else the provider wants to see in the authorization request. */
  parameters: Readonly<Record<string, string>>;
  /** Whose addresses it may vouch for; null: any. */
  emailDomains: readonly string[] | null;
  /** Where native clients let it send their codes, exactly. */
  nativeRedirectUris: readonly string[];
  /** Of `oauth` alone. */
  endpoints: OauthEndpoints | null;
};

export type OauthEndpoints = {
  authorization: string;
  token: string;
  userinfo: string;
  /** Where in the answer of `userinfo` things are, as "data.0.id"; null: nowhere. */
  fields: { subject: string; email: string | null; emailVerified: string | null };
};

export type OauthSettings = {
  providers: readonly OauthProvider[];
  /** Where browsers may be sent back to, exactly; the first when none is named. */
  returnUrls: readonly [string, ...string[]];
};

/** Who somebody is, as the provider says. */
export type Profile = {
  subject: string;
  email: string | null;
  /** The provider says so, and may say so of that address. */
  isEmailVerified: boolean;
};

const ADDRESS = /^[\w%+-]+(\.[\w%+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}$/;
const LONGEST_ADDRESS = 254;

/** The profile that these claims make. Throws for a subject that nobody could have. */
export function profileOf(
  provider: Pick<OauthProvider, "emailDomains">,
  claims: { subject: unknown; email: unknown; emailVerified: unknown },
): Profile {
  // A larger number isn't read exactly, so it would be several people's.
  const subject = Number.isSafeInteger(claims.subject) ? String(claims.subject) : claims.subject;
  if (typeof subject !== "string" || subject === "" || subject.length > 255)
    throw new Error("The provider named nobody.");
  const email = isAddress(claims.email) ? claims.email : null;
  // Apple writes "true".
  const isSaid = claims.emailVerified === true || claims.emailVerified === "true";
  return { subject, email, isEmailVerified: email !== null && isSaid && mayVouch(provider, email) };
}

/** An address of another form than ours is as good as none. */
const isAddress = (email: unknown): email is string =>
  typeof email === "string" && email.length <= LONGEST_ADDRESS && ADDRESS.test(email);

function mayVouch({ emailDomains }: Pick<OauthProvider, "emailDomains">, email: string): boolean {
  if (emailDomains === null) return true;
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return emailDomains.includes(domain);
}

/** What is at "data.0.id" of a parsed answer; undefined for nothing. */
export function fieldAt(answer: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    return Object.entries(at).find(([key]) => key === name)?.[1];
  }, answer);
}
