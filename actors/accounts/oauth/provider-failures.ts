import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";
import type { Log } from "../../../base/log.ts";
import type { OutageLog } from "../../../base/outage-log.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import type { OauthProvider } from "./provider.ts";

const RETRY_MS = 5_000;
/** Codes of openid-client for a provider that doesn't answer properly. */
const UNAVAILABLE_CODES = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_PARSE_ERROR",
]);
const UNAVAILABLE_ERRORS = new Set(["temporarily_unavailable", "server_error"]);
/** Errors by which a provider refuses us, not the user. */
const CLIENT_ERRORS = new Set(["invalid_client", "unauthorized_client", "invalid_scope"]);

/** The requests of one sign-in took too long together. */
export class ProviderLate extends Error {
  override readonly name = "ProviderLate";
}

/**
 * Maps a failure at a provider to the user's error. Of what the provider wrote, only the standard's short codes are passed on
 * or logged: a description, or an answer that isn't JSON, may contain a token or forged text.
 */
export function refusalOf(
  err: unknown,
  { id }: Pick<OauthProvider, "id">,
  { log, outage }: { log: Pick<Log, "warn" | "error">; outage: Pick<OutageLog, "failed"> },
): ServiceError {
  const kind = kindOf(err);
  const code = codeOf(err);
  const fields = { provider: id, kind: err instanceof Error ? err.name : typeof err, code };
  if (kind === "ours") log.error(fields, "a provider refuses us; its configuration may be wrong");
  // The error itself may quote the provider.
  else if (kind === "away") outage.failed(undefined, fields);
  else log.warn(fields, "a sign-in by a provider failed");
  if (kind === "denied") return new ServiceError("oauth_denied");
  if (kind === "failed") return new ServiceError("oauth_failed");
  return unavailable({ retryAfterMs: RETRY_MS });
}

function kindOf(err: unknown): "denied" | "failed" | "ours" | "away" {
  if (err instanceof ProviderLate) return "away";
  if (err instanceof AuthorizationResponseError) {
    if (err.error === "access_denied") return "denied";
    return UNAVAILABLE_ERRORS.has(err.error) ? "away" : oursOr(err.error);
  }
  if (err instanceof ResponseBodyError) return err.status >= 500 ? "away" : oursOr(err.error);
  if (err instanceof ClientError)
    return err.code === undefined || UNAVAILABLE_CODES.has(err.code) ? "away" : "failed";
  // What fetch throws when the host isn't reachable.
  if (err instanceof TypeError && !("code" in err)) return "away";
  return "failed";
}

const oursOr = (error: string): "ours" | "failed" => (CLIENT_ERRORS.has(error) ? "ours" : "failed");

/** A code of the OAuth standard or of the library. */
function codeOf(err: unknown): string | null {
  if (err instanceof AuthorizationResponseError || err instanceof ResponseBodyError)
    return /^[a-z_]{1,40}$/.test(err.error) ? err.error : "unknown";
  return err instanceof ClientError ? (err.code ?? null) : null;
}
