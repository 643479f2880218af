import { createHash, randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { OauthProvider } from "../../actors/accounts/oauth/provider.ts";
import { createBrowser } from "./browser.ts";

const NATIVE_REDIRECT = "com.example.app:/oauth";
const CLIENT = { id: "livecore", secret: "what only livecore and the provider know" };

/** The claims of an account at the provider. */
export type ThereDoc = { email?: string; email_verified?: boolean };

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/** A real OpenID Connect provider on this machine, with its own development pages, which accept any name as its user. */
export async function startIdentityProvider(id: string, publicUrl = "https://livecore.example") {
  const people = new Map<string, ThereDoc>();
  const handler: { listener: RequestListener; inTheWay: RequestListener | null } = {
    listener: (_req, res) => void res.writeHead(503).end(),
    inTheWay: null,
  };
  const requests: string[] = [];
  const server = createServer((req, res) => {
    requests.push(`${req.method} ${new URL(req.url ?? "/", "http://x").pathname}`);
    (handler.inTheWay ?? handler.listener)(req, res);
  });
  const port = await listening(server);
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${publicUrl}/v1/auth/oauth/${id}/callback`],
        response_types: ["code"],
      },
      {
        client_id: `${CLIENT.id}-app`,
        client_secret: CLIENT.secret,
        application_type: "native",
        redirect_uris: [NATIVE_REDIRECT],
        response_types: ["code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    // PKCE is optional here: it is up to our code to use it.
    pkce: { required: () => false },
    cookies: { keys: ["a key of specs"] },
    // The defaults, set explicitly to avoid the library's notices.
    ttl: { Interaction: 3_600, Session: 1_209_600, Grant: 1_209_600, AccessToken: 3_600, IdToken: 3_600 },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
  });
  handler.listener = provider.callback();

  return {
    id,
    issuer,
    /** The claims by user, by the name that is entered in its form. */
    people,
    /** Method and path of every request received. */
    requests,
    clientSecret: CLIENT.secret,
    /** The provider's entry in OAUTH_PROVIDERS. */
    setting: (differing: Partial<OauthProvider> = {}): OauthProvider => ({
      id,
      name: `The ${id} of specs`,
      kind: "oidc",
      issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      clientAuth: "basic",
      responseMode: "query",
      scopes: ["openid", "email"],
      parameters: {},
      emailDomains: null,
      nativeRedirectUris: [NATIVE_REDIRECT],
      endpoints: null,
      ...differing,
    }),
    /** The entry of the native client. */
    appSetting: (): OauthProvider => ({
      id: "app",
      name: "The app of specs",
      kind: "oidc",
      issuer,
      clientId: `${CLIENT.id}-app`,
      clientSecret: CLIENT.secret,
      clientAuth: "basic",
      responseMode: "query",
      scopes: ["openid", "email"],
      parameters: {},
      emailDomains: null,
      nativeRedirectUris: [NATIVE_REDIRECT],
      endpoints: null,
    }),
    /**
     * What a native client gets from the provider itself; `differing`: parameters that override its request, null removes
     * one.
     */
    async nativeCode(login: string, differing: Record<string, string | null> = {}) {
      const verifier = randomBytes(32).toString("base64url");
      const nonce = randomBytes(16).toString("base64url");
      const url = new URL(`${issuer}/auth`);
      const query: Record<string, string | null> = {
        client_id: `${CLIENT.id}-app`,
        response_type: "code",
        redirect_uri: NATIVE_REDIRECT,
        scope: "openid email",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        nonce,
        ...differing,
      };
      for (const [name, value] of Object.entries(query))
        if (value !== null) url.searchParams.set(name, value);
      const back = new URL(await createBrowser().approve(url.href, login));
      const given = (name: string) => back.searchParams.get(name) ?? "";
      return {
        code: given("code"),
        iss: given("iss"),
        code_verifier: verifier,
        redirect_uri: NATIVE_REDIRECT,
        nonce,
      };
    },
    /** Answers in place of the provider, until it is called with null. */
    standIn: (inTheWay: RequestListener | null) => {
      handler.inTheWay = inTheWay;
    },
    listener: handler.listener,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
