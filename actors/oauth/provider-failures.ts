import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Log } from "../../store/log.ts";
import type { OauthProvider } from "./provider.ts";

const RETRY_MS = 5_000;
/** The provider didn't answer as one does that is there. */
const AWAY = new Set(["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_PARSE_ERROR"]);
const AWAY_BY_ITSELF = new Set(["temporarily_unavailable", "server_error"]);
/** It refuses us and not the one who signs in. */
const OURS = new Set(["invalid_client", "unauthorized_client", "invalid_scope"]);

/**
 * What a failure at a provider is for whoever signs in. Nothing that the provider wrote is passed on or logged but the
 * standard's short codes: a description, or an answer that isn't JSON, may hold a token or what somebody made up.
 */
export function refusalOf(
  err: unknown,
  { id }: Pick<OauthProvider, "id">,
  log: Pick<Log, "warn" | "error">,
): ServiceError {
  const kind = kindOf(err);
  const code = codeOf(err);
  const fields = { provider: id, kind: err instanceof Error ? err.name : typeof err, code };
  if (kind === "ours") log.error(fields, "a provider refuses us; its configuration may be wrong");
  else log.warn(fields, "a sign-in by a provider failed");
  if (kind === "denied") return new ServiceError("oauth_denied");
  if (kind === "failed") return new ServiceError("oauth_failed");
  return new ServiceError("unavailable", { retry_after_ms: RETRY_MS });
}

function kindOf(err: unknown): "denied" | "failed" | "ours" | "away" {
  if (err instanceof AuthorizationResponseError) {
    if (err.error === "access_denied") return "denied";
    return AWAY_BY_ITSELF.has(err.error) ? "away" : oursOr(err.error);
  }
  if (err instanceof ResponseBodyError) return err.status >= 500 ? "away" : oursOr(err.error);
  if (err instanceof ClientError) return err.code === undefined || AWAY.has(err.code) ? "away" : "failed";
  // What fetch throws when nobody is there.
  if (err instanceof TypeError && !("code" in err)) return "away";
  return "failed";
}

const oursOr = (error: string): "ours" | "failed" => (OURS.has(error) ? "ours" : "failed");

/** A code of the standard, or of the library. */
function codeOf(err: unknown): string | null {
  if (err instanceof AuthorizationResponseError || err instanceof ResponseBodyError)
    return /^[a-z_]{1,40}$/.test(err.error) ? err.error : "unknown";
  return err instanceof ClientError ? (err.code ?? null) : null;
}
