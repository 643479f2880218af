import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { OauthProvider } from "../../../../actors/accounts/oauth/provider.ts";

const CLIENT_ID = "livecore";
const KEY_ID = "the published key";

type Claims = Record<string, string | number | null>;

export type IssuerOfSpecs = Awaited<ReturnType<typeof startIssuerOfSpecs>>;

/** A local issuer that answers whatever a spec wants, unlike a real implementation. */
export async function startIssuerOfSpecs(
  id: string,
  /** Whether its metadata says that its answers carry `iss`. */
  { namesItself = false } = {},
) {
  const [published, unpublished] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const jwk = { ...(await exportJWK(published.publicKey)), kid: KEY_ID, use: "sig", alg: "RS256" };
  let answer: () => Promise<string> = async () => "";
  let exchanges = 0;

  const server = createServer((req, res) => {
    void respond(req.url ?? "/").then((body) =>
      res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function respond(path: string): Promise<unknown> {
    if (path === "/jwks") return { keys: [jwk] };
    if (path === "/token") {
      exchanges++;
      return { access_token: "of no use", token_type: "bearer", id_token: await answer() };
    }
    return {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
      ...(namesItself ? { authorization_response_iss_parameter_supported: true } : {}),
    };
  }

  function signed(claims: Claims, key: CryptoKey): Promise<string> {
    const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
    return new SignJWT(given).setProtectedHeader({ alg: "RS256", kid: KEY_ID }).sign(key);
  }

  return {
    issuer,
    /** Number of codes that were exchanged. */
    exchanges: () => exchanges,
    setting: (): OauthProvider => ({
      id,
      name: `The ${id} of specs`,
      kind: "oidc",
      issuer,
      clientId: CLIENT_ID,
      clientSecret: "a secret of specs",
      clientAuth: "basic",
      responseMode: "query",
      scopes: ["openid", "email"],
      parameters: {},
      emailDomains: null,
      nativeRedirectUris: [],
      endpoints: null,
    }),
    /**
     * The browser's redirect from that page, and what the code will yield: an ID token with `claims` in place of the right ones
     * (null: none), signed by an unpublished key if `isForged`.
     */
    approve(page: string, differing: { claims?: Claims; isForged?: boolean; iss?: string | null } = {}) {
      const request = new URL(page).searchParams;
      const now = Math.floor(Date.now() / 1_000);
      const right = { iss: issuer, aud: CLIENT_ID, sub: `${id}|somebody`, iat: now, exp: now + 300 };
      const claims = { ...right, email: "a@example.org", nonce: request.get("nonce"), ...differing.claims };
      answer = () => signed(claims, (differing.isForged ? unpublished : published).privateKey);
      const back = new URL(request.get("redirect_uri") ?? "");
      back.searchParams.set("code", "a code of specs");
      back.searchParams.set("state", request.get("state") ?? "");
      const iss = differing.iss === undefined && namesItself ? issuer : differing.iss;
      if (iss) back.searchParams.set("iss", iss);
      return back.href;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
