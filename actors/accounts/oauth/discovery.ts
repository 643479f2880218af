import * as openid from "openid-client";
import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import { unavailable } from "../../../contract/errors.ts";
import { boundedFetch, FETCH_SECONDS } from "./bounded-fetch.ts";
import type { OauthEndpoints, OauthProvider } from "./provider.ts";

/** A provider's metadata is refreshed after FRESH_MS; while that fails, the old one is used until STALE_MS. */
const FRESH_MS = HOUR_MS;
const STALE_MS = DAY_MS;
/** Pause after a failed discovery, however many callers need it. */
const PAUSE_MS = 5_000;
/** Allowed clock skew between the provider and us. */
const TOLERANCE_SECONDS = 30;

/**
 * The configuration of one provider for openid-client, cached and fetched in single flight. Only URLs from the operator's
 * configuration, and those that the issuer itself names, are fetched, all by https; plain http is only for an issuer on this
 * machine.
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
  const outage = createOutageLog(log, "discovery of a sign-in provider");
  let failedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<openid.Configuration> | null = null;

  async function refresh(): Promise<openid.Configuration> {
    try {
      const config = await discover(provider);
      known = { config, at: now() };
      outage.succeeded();
      return config;
    } catch (err) {
      failedAt = now();
      const { message, code } = Object(err);
      // Not the error: its cause may quote the provider.
      outage.failed(undefined, { provider: provider.id, message, code });
      return stale();
    } finally {
      fetching = null;
    }
  }

  function stale(): openid.Configuration {
    if (known && now() - known.at < STALE_MS) return known.config;
    throw unavailable({ retryAfterMs: PAUSE_MS });
  }

  return async () => {
    if (known && now() - known.at < FRESH_MS) return known.config;
    if (now() - failedAt < PAUSE_MS) return stale();
    fetching ??= refresh();
    return fetching;
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
    // The code flow alone would trust TLS; this also verifies the ID token's signature.
    execute: [openid.enableNonRepudiationChecks, ...(isPlain(issuer) ? [openid.allowInsecureRequests] : [])],
  });
  const { code_challenge_methods_supported: methods, authorization_endpoint: page = "" } =
    config.serverMetadata();
  // A provider that lists no methods may still support S256; one that lists some must include it.
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

/** The configuration allows plain http for this machine only. */
const isPlain = (url: string): boolean => url.startsWith("http://");

/** Twitch returns `scope` as a list, where the standard requires a string. */
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
    // Not JSON: openid-client refuses it with a better error.
    if (err instanceof SyntaxError) return text;
    throw err;
  }
  if (typeof answer !== "object" || answer === null || !("scope" in answer)) return text;
  const { scope } = answer;
  return Array.isArray(scope) ? JSON.stringify({ ...answer, scope: scope.join(" ") }) : text;
}
