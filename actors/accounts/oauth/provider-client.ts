import * as openid from "openid-client";
import { withDeadline } from "../../../base/deadline.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import { createDiscovery } from "./discovery.ts";
import { fieldAt, type OauthProvider, type Profile, profileOf } from "./provider.ts";
import { ProviderLate, refusalOf } from "./provider-failures.ts";

/** Concurrent requests per process and provider, so that a provider that hangs blocks no more than these. */
const MAX_AT_ONCE = 64;

/** Values sent along that must come back or be known later, so that a stolen code can't be used. */
type Proof = { state: string; nonce: string; verifier: string };

/** What the provider sent back, or a native client received. */
type CallbackResult = {
  /** The exact redirect URI with the received query. */
  url: URL;
  /** Undefined when there must be no state. */
  state?: string;
  verifier: string;
  /** For OpenID Connect; else null. */
  nonce: string | null;
};

/** One provider, by openid-client. All failures are thrown as `unavailable`, `oauth_denied` or `oauth_failed`. */
export function createProviderClient(provider: OauthProvider, { log }: { log: Log }) {
  const configuration = createDiscovery(provider, { log });
  const outage = createOutageLog(log, "sign-in provider");
  let inFlight = 0;

  /** Its place is free again when its requests have ended, which each do by themselves. */
  async function counted<T>(work: (config: openid.Configuration) => Promise<T>): Promise<T> {
    inFlight++;
    try {
      return await work(await configuration());
    } finally {
      inFlight--;
    }
  }

  async function guarded<T>(work: (config: openid.Configuration) => Promise<T>): Promise<T> {
    if (inFlight >= MAX_AT_ONCE) throw unavailable();
    const deadline = performance.now() + PEER_DEADLINES_MS.oauthSignIn;
    try {
      return await withDeadline(counted(work), deadline, () => new ProviderLate());
    } catch (err) {
      throw err instanceof ServiceError ? err : refusalOf(err, provider, { log, outage });
    }
  }

  /** The claims of the ID token, or of userinfo when the token has no address. */
  async function claimsOf(
    config: openid.Configuration,
    tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
  ): Promise<Profile> {
    const claims = tokens.claims();
    if (!claims) throw new Error("The provider gave no ID token.");
    const isComplete = claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined;
    const source = isComplete ? claims : await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
    const { email, email_verified: emailVerified } = source;
    return profileOf(provider, { subject: claims.sub, email, emailVerified });
  }

  async function userinfoOf(
    config: openid.Configuration,
    accessToken: string,
    { userinfo, fields }: NonNullable<OauthProvider["endpoints"]>,
  ): Promise<Profile> {
    // Twitch requires the client id here too.
    const headers = new Headers({ accept: "application/json", "client-id": provider.clientId });
    const response = await openid.fetchProtectedResource(
      ...([config, accessToken, new URL(userinfo), "GET", null, headers] as const),
    );
    if (!response.ok) throw new Error(`userinfo answered ${response.status}`);
    const answer: unknown = await response.json();
    const at = (path: string | null) => (path === null ? undefined : fieldAt(answer, path));
    return profileOf(provider, {
      subject: at(fields.subject),
      email: at(fields.email),
      emailVerified: at(fields.emailVerified),
    });
  }

  return {
    provider,

    /** The URL to send a browser to. Throws `unavailable`. */
    authorizationUrl: (redirectUri: string, { state, nonce, verifier }: Proof): Promise<URL> =>
      guarded(async (config) =>
        openid.buildAuthorizationUrl(config, {
          ...provider.parameters,
          redirect_uri: redirectUri,
          scope: provider.scopes.join(" "),
          state,
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          ...(provider.kind === "oidc" ? { nonce } : {}),
          ...(provider.responseMode === "form_post" ? { response_mode: "form_post" } : {}),
        }),
      ),

    /** Redeems the code for the user's profile. Throws `oauth_denied`, `oauth_failed`, `unavailable`. */
    profile: ({ url, state, verifier, nonce }: CallbackResult): Promise<Profile> =>
      guarded(async (config) => {
        const tokens = await openid.authorizationCodeGrant(config, url, {
          pkceCodeVerifier: verifier,
          ...(state === undefined ? {} : { expectedState: state }),
          ...(nonce === null ? {} : { expectedNonce: nonce, idTokenExpected: true }),
        });
        const { endpoints } = provider;
        const profile = await (endpoints
          ? userinfoOf(config, tokens.access_token, endpoints)
          : claimsOf(config, tokens));
        outage.succeeded();
        return profile;
      }),
  };
}

export type ProviderClient = ReturnType<typeof createProviderClient>;
