import * as openid from "openid-client";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Log } from "../../store/log.ts";
import { boundedFetch, FETCH_SECONDS } from "./bounded-fetch.ts";
import type { OauthEndpoints, OauthProvider } from "./provider.ts";

/** What a provider says of itself is looked at anew this often, and without it used for so long. */
const FRESH_MS = 3_600_000;
const STALE_MS = 24 * 3_600_000;
/** One that doesn't answer is asked again this often, however many ask. */
const PAUSE_MS = 5_000;
/** Between its clock and ours. */
const TOLERANCE_SECONDS = 30;

/**
 * The configuration of one provider for openid-client. Only addresses of the operator's configuration are fetched, and
 * those that the issuer itself names, all of them by https; a plain one is for an issuer on this machine.
 */
export function createDiscovery(
  provider: OauthProvider,
  { log, now = () => performance.now() }: { log: Log; now?: () => number },
): () => Promise<openid.Configuration> {
  const { endpoints } = provider;
  if (endpoints) {
    const configured = staticConfiguration(provider, endpoints);
    return async () => configured;
  }
  let known: { config: openid.Configuration; at: number } | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<openid.Configuration> | null = null;

  async function ask(): Promise<openid.Configuration> {
    try {
      const config = await discover(provider);
      known = { config, at: now() };
      return config;
    } catch (err) {
      failedAt = now();
      const { message, code } = Object(err);
      log.warn({ provider: provider.id, message, code }, "a provider doesn't say what it offers");
      return stale();
    } finally {
      asking = null;
    }
  }

  function stale(): openid.Configuration {
    if (known && now() - known.at < STALE_MS) return known.config;
    throw new ServiceError("unavailable", { retry_after_ms: PAUSE_MS });
  }

  return async () => {
    if (known && now() - known.at < FRESH_MS) return known.config;
    if (now() - failedAt < PAUSE_MS) return stale();
    asking ??= ask();
    return asking;
  };
}

const clientAuthOf = ({ clientSecret, clientAuth }: OauthProvider): openid.ClientAuth => {
  if (clientSecret === null) return openid.None();
  return clientAuth === "post"
    ? openid.ClientSecretPost(clientSecret)
    : openid.ClientSecretBasic(clientSecret);
};

const metadata = { [openid.clockTolerance]: TOLERANCE_SECONDS };

async function discover(provider: OauthProvider): Promise<openid.Configuration> {
  const { issuer, clientId } = provider;
  const config = await openid.discovery(new URL(issuer), clientId, metadata, clientAuthOf(provider), {
    timeout: FETCH_SECONDS,
    [openid.customFetch]: boundedFetch,
    // The code flow alone would trust the connection; the ID token's own signature is checked as well.
    execute: [openid.enableNonRepudiationChecks, ...(isPlain(issuer) ? [openid.allowInsecureRequests] : [])],
  });
  const { code_challenge_methods_supported: methods, authorization_endpoint: page = "" } =
    config.serverMetadata();
  // Who says nothing may know it all the same; who says what it knows must know this.
  if (methods && !methods.includes("S256")) throw new Error("It doesn't know PKCE with S256.");
  if (!page.startsWith("https://") && !isPlain(issuer)) throw new Error("Its page isn't reached by https.");
  return config;
}

function staticConfiguration(provider: OauthProvider, { authorization, token }: OauthEndpoints) {
  const server = {
    issuer: provider.issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
  };
  const config = new openid.Configuration(server, provider.clientId, metadata, clientAuthOf(provider));
  config.timeout = FETCH_SECONDS;
  config[openid.customFetch] = async (url, options) =>
    url === token ? withScopeAsText(await boundedFetch(url, options)) : boundedFetch(url, options);
  if (isPlain(token)) openid.allowInsecureRequests(config);
  return config;
}

/** Configuration lets nothing else through than this machine. */
const isPlain = (url: string): boolean => url.startsWith("http://");

/** Twitch gives a list where the standard has text. */
async function withScopeAsText(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, headers } = response;
  return new Response(scopeAsText(text), { status, headers });
}

function scopeAsText(text: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (err) {
    // Whatever it is, openid-client refuses it with a better reason.
    if (err instanceof SyntaxError) return text;
    throw err;
  }
  if (typeof answer !== "object" || answer === null || !("scope" in answer)) return text;
  const { scope } = answer;
  return Array.isArray(scope) ? JSON.stringify({ ...answer, scope: scope.join(" ") }) : text;
}
