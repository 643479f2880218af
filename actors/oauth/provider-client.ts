import * as openid from "openid-client";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Log } from "../../store/log.ts";
import { createDiscovery } from "./discovery.ts";
import { fieldAt, type OauthProvider, type Profile, profileOf } from "./provider.ts";
import { refusalOf } from "./provider-failures.ts";

/** What a process has under way with one provider: one that hangs holds up no more than these. */
const MOST_AT_ONCE = 64;

/** What is sent along and has to come back, or be known, so that a code is of use to nobody else. */
export type Proof = { state: string; nonce: string; verifier: string };

/** What the provider sent back, or a native client has. */
export type Returned = {
  /** The exact redirect URI with what came as its query. */
  url: URL;
  /** Undefined where there must be none. */
  state?: string;
  verifier: string;
  /** Of OpenID Connect; null elsewhere. */
  nonce: string | null;
};

/** One provider, by openid-client. Everything that goes wrong there is `unavailable`, `oauth_denied` or `oauth_failed`. */
export function createProviderClient(provider: OauthProvider, { log }: { log: Log }) {
  const configuration = createDiscovery(provider, { log });
  let underWay = 0;

  async function guarded<T>(work: (config: openid.Configuration) => Promise<T>): Promise<T> {
    if (underWay >= MOST_AT_ONCE) throw new ServiceError("unavailable", { retry_after_ms: 1_000 });
    underWay++;
    try {
      return await work(await configuration());
    } catch (err) {
      throw err instanceof ServiceError ? err : refusalOf(err, provider, log);
    } finally {
      underWay--;
    }
  }

  /** The claims of the ID token, and of userinfo where the token has no address. */
  async function claimsOf(
    config: openid.Configuration,
    tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
  ): Promise<Profile> {
    const claims = tokens.claims();
    if (!claims) throw new Error("The provider gave no ID token.");
    const isWhole = claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined;
    const said = isWhole ? claims : await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
    const { email, email_verified: emailVerified } = said;
    return profileOf(provider, { subject: claims.sub, email, emailVerified });
  }

  async function userinfoOf(
    config: openid.Configuration,
    accessToken: string,
    { userinfo, fields }: NonNullable<OauthProvider["endpoints"]>,
  ): Promise<Profile> {
    // Twitch wants the client named here too.
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

    /** Where a browser is to be sent. Throws `unavailable`. */
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

    /** Who has come back. Throws `oauth_denied`, `oauth_failed`, `unavailable`. */
    profile: ({ url, state, verifier, nonce }: Returned): Promise<Profile> =>
      guarded(async (config) => {
        const tokens = await openid.authorizationCodeGrant(config, url, {
          pkceCodeVerifier: verifier,
          ...(state === undefined ? {} : { expectedState: state }),
          ...(nonce === null ? {} : { expectedNonce: nonce, idTokenExpected: true }),
        });
        const { endpoints } = provider;
        return endpoints ? userinfoOf(config, tokens.access_token, endpoints) : claimsOf(config, tokens);
      }),
  };
}

export type ProviderClient = ReturnType<typeof createProviderClient>;
