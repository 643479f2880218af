import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Staff } from "../../actors/accounts/staff/staff.ts";
import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import type { PresentedCookies } from "../../actors/accounts/tokens/cookie-sessions.ts";
import type { Tokens } from "../../actors/accounts/tokens/tokens.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Access, Operation } from "../../contract/openapi-document.ts";
import type { Peer } from "../../contract/peers.ts";
import { missingScopes, type NeededScopes } from "../../contract/scopes.ts";

/** What identifies callers. */
export type AuthenticateDeps = {
  tokens: Pick<Tokens, "authenticate" | "authenticateByCookie">;
  /** For operations of staff. */
  staff: Pick<Staff, "requireStaff">;
  systemKeys: SystemKeys;
};

/** The keys by which services of the platform identify themselves; without any, nothing opens what is for that service. */
export type SystemKeys = Readonly<Record<Peer, readonly string[]>>;

/** The parts of a request that may identify the caller. */
type Credentials = {
  method: string;
  headers: IncomingHttpHeaders;
  cookies: PresentedCookies;
  /** The parameters of the path, not validated yet. */
  params: Record<string, string>;
  /** From ?system_key=, on operations that allow it. */
  queryKey: string | null;
};

export type Authenticate = (
  declared: Pick<Operation, "x-access" | "x-scopes">,
  credentials: Credentials,
  /** Called once the user is known, also when the operation then refuses them. */
  onUser: (userId: string) => void,
) => Promise<Caller>;

/**
 * Identifies the caller, as the operation's x-access and, for personal API tokens, x-scopes require
 * (docs/interface.md#5-authentication).
 */
export function createAuthenticate({ tokens, staff, systemKeys }: AuthenticateDeps): Authenticate {
  // Compared as hashes of equal length, so that the time doesn't reveal anything about the key.
  const hashes = Object.entries(systemKeys).map(([peer, keys]) => [peer, keys.map(sha256)] as const);
  const hashesOf = new Map<string | undefined, readonly Buffer[]>(hashes);

  /** Each service has keys of its own, which open nothing else. */
  function system({ headers, queryKey }: Credentials, access: Access): Caller {
    const header = headers["x-system-key"];
    const given = typeof header === "string" ? header : access.query_key ? queryKey : null;
    const hash = sha256(given ?? "");
    if (!given || !hashesOf.get(access.peer)?.some((one) => timingSafeEqual(one, hash)))
      throw new ServiceError("system_key_required");
    return { kind: "system" };
  }

  async function session(credentials: Credentials, access: Access): Promise<Caller> {
    const options = { withoutDatabase: access.without_database ?? false };
    // If there are several, the first counts, even if it is invalid: first what a program sets itself, then what browsers add.
    const bearer = bearerToken(credentials.headers.authorization);
    if (bearer !== null) return tokens.authenticate(bearer, "bearer", options);
    const apiKey = credentials.headers["x-api-key"];
    if (apiKey !== undefined) return tokens.authenticate(String(apiKey), "api_key", options);
    const { cookies } = credentials;
    if (cookies.access.length === 0) return { kind: "anonymous" };
    return tokens.authenticateByCookie(cookies, options);
  }

  return async ({ "x-access": access, "x-scopes": scopes }, credentials, onUser) => {
    if (access.who === "anonymous") return { kind: "anonymous" };
    if (access.who === "system") return system(credentials, access);
    if (access.who === "refresh") return { kind: "anonymous" };
    const caller = await session(credentials, access);
    if (caller.kind === "user") {
      onUser(caller.userId);
      if (caller.via === "cookie") requireClientHeader(credentials, access);
    }
    if (!isOverlayLetIn(caller, access, scopes))
      requireScopes(caller, scopes, credentials.params.stream_id ?? null);
    if (access.who === "optional") return caller;
    if (caller.kind !== "user") throw new ServiceError("auth_required");
    if (access.token_only && !caller.grant) throw new ServiceError("forbidden");
    if (access.overlay === "only" && caller.grant?.kind !== "overlay") throw new ServiceError("forbidden");
    if (access.who === "staff") await staff.requireStaff(caller);
    return caller;
  };
}

/**
 * An operation that declares no scopes accepts no personal API token, and one whose path names no stream none that is for one
 * channel. Throws insufficient_scope.
 */
function requireScopes(caller: Caller, needed: NeededScopes | undefined, streamId: string | null): void {
  const missing = caller.kind === "user" && caller.grant && missingScopes(needed, caller.grant, streamId);
  if (missing) throw new ServiceError("insufficient_scope", missing);
}

/**
 * Whether an overlay's token sends this, where the operation takes it; false for all other callers. Elsewhere it is refused, whatever
 * its scopes are: throws insufficient_scope, or forbidden where any token is enough.
 */
function isOverlayLetIn(caller: Caller, access: Access, needed: NeededScopes | undefined): boolean {
  if (caller.kind !== "user" || caller.grant?.kind !== "overlay") return false;
  if (access.overlay !== undefined) return true;
  if (needed === "any") throw new ServiceError("forbidden");
  throw new ServiceError("insufficient_scope", { scopes: [...(needed ?? [])] });
}

/**
 * CSRF protection (docs/interface.md#5-authentication rule 3): a page of another site can make a browser send cookies but not
 * this header. Throws client_header_required.
 */
export function requireClientHeader(
  { method, headers }: Pick<Credentials, "method" | "headers">,
  { client_header }: Pick<Access, "client_header"> = {},
): void {
  if (!client_header && (method === "GET" || method === "HEAD")) return;
  const client = headers["x-service-client"];
  if (typeof client !== "string" || client.trim() === "") throw new ServiceError("client_header_required");
}

/** Null when there is no bearer credential; another scheme counts as none. */
function bearerToken(authorization: string | undefined): string | null {
  const [scheme, token = null, ...more] = authorization?.trim().split(/\s+/, 3) ?? [];
  return scheme?.toLowerCase() === "bearer" && more.length === 0 ? token : null;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
