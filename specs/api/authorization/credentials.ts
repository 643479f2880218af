import { OPERATOR } from "../../../base/audit.ts";
import { newId } from "../../../base/ids.ts";
import type { ErrorCode } from "../../../contract/errors.ts";
import type { DocumentedOperation } from "../../../contract/openapi-document.ts";
import { ALL_SCOPES, type NeededScopes, type Scope } from "../../../contract/scopes.ts";
import { givenStaffMember } from "../../support/two-factor.ts";
import type { World } from "../../support/world.ts";

/** All kinds of credentials of a request; `appealToken`: valid for a single purpose. */
export const CREDENTIALS = [
  "bearer",
  "cookie",
  "cookieWithoutHeader",
  "expired",
  "tokenWithScope",
  "tokenWithoutScope",
  "apiKey",
  "apiKeyWithoutScope",
  "endedToken",
  "bannedToken",
  "overlayToken",
  "appealToken",
  "pendingTwoFactor",
] as const;

type CredentialName = (typeof CREDENTIALS)[number];

/** Whether authentication accepts the credential, or the code of its refusal. */
type Outcome = "passes" | ErrorCode;

/** What the document declares for a credential, whatever roles its user has. */
export function expectedOf({ operation, method }: DocumentedOperation, credential: CredentialName): Outcome {
  const { who, client_header, token_only, overlay } = operation["x-access"];
  const isForTokens = token_only || overlay === "only";
  if (who === "system") return "system_key_required";
  // Neither checks credentials: one accepts all requests, the other only a refresh token.
  if (who === "anonymous" || who === "refresh") return "passes";
  switch (credential) {
    case "bearer":
    case "cookie":
      return isForTokens ? "forbidden" : "passes";
    case "cookieWithoutHeader":
      if (method !== "get" || client_header) return "client_header_required";
      return isForTokens ? "forbidden" : "passes";
    case "overlayToken":
      if (overlay !== undefined) return "passes";
      return operation["x-scopes"] === "any" ? "forbidden" : "insufficient_scope";
    case "tokenWithScope":
    case "apiKey":
      return takesTokens(operation["x-scopes"]) ? "passes" : "insufficient_scope";
    case "tokenWithoutScope":
    case "apiKeyWithoutScope":
      return operation["x-scopes"] === "any" ? "passes" : "insufficient_scope";
    case "bannedToken":
      return "account_banned";
    case "expired":
    case "endedToken":
    case "appealToken":
    case "pendingTwoFactor":
      return "invalid_token";
  }
}

const takesTokens = (scopes: NeededScopes | undefined): boolean => scopes !== undefined && scopes.length > 0;

type Headers = Record<string, string>;

/** The headers of each credential, of a staff account where the operation is for staff. Personal tokens belong to a user. */
export async function givenCredentials(world: World) {
  const bearer = world.api.with({ "x-auth-mode": "bearer" });

  async function account() {
    const username = `c_${newId().slice(-12)}`;
    const body = { username, email: `${username}@example.com`, password: "open sesame, said the spec" };
    const { user, access_token: token = "" } = await bearer.ok("register", { body });
    if (!user) throw new Error("a new account is signed in at once");
    return { id: user.id, username, token, login: { login: username, password: body.password } };
  }

  const origin = { ip: "203.0.113.7", userAgent: null, requestId: "spec" };
  const [user, staff, banned] = await Promise.all([account(), account(), account()]);
  const expired = user.token;
  // After its access token has expired.
  world.clock.move(1_000_000);
  const signedIn = async ({ login }: typeof user) =>
    (await bearer.ok("login", { body: login })).access_token ?? "";
  const [ofUser, ofStaff] = await Promise.all([signedIn(user), signedIn(staff)]);
  await givenStaffMember(world.core, { ...staff, api: world.api.as({ token: ofStaff }) });
  // From now on a staff login returns a token that still needs the second factor.
  const { two_factor_token: pending } = await bearer.ok("login", { body: staff.login });

  async function newToken(scopes: readonly Scope[], userId = user.id) {
    const [session] = await world.core.sessions.list(userId);
    if (!session) throw new Error("only who is signed in makes tokens");
    const by = { userId, sessionId: session._id };
    return world.core.apiTokens.create({ name: "spec", scopes }, by, origin);
  }
  const made = new Map<string, ReturnType<typeof newToken>>();
  /** One token for all operations with the same scopes. */
  async function tokenWith(scopes: readonly Scope[]): Promise<string> {
    const key = [...scopes].sort().join();
    const making = made.get(key) ?? newToken(scopes);
    made.set(key, making);
    return (await making).token;
  }

  const { token: bannedToken } = await newToken(ALL_SCOPES, banned.id);
  await world.core.accountBans.ban(banned.id, OPERATOR);
  const { details } = await bearer.call("login", { body: banned.login });
  const { id: streamId } = await world.api.as({ token: ofUser }).ok("getMyStream");
  const overlay = await world.api
    .as({ token: ofUser })
    .ok("createOverlay", { params: { stream_id: streamId }, body: { kind: "alerts", name: "spec" } });
  const ended = await newToken(ALL_SCOPES);
  await world.core.apiTokens.remove(ended.doc._id, user.id, origin);

  return async function headersOf(
    { operation }: DocumentedOperation,
    name: CredentialName,
  ): Promise<Headers> {
    const session = operation["x-access"].who === "staff" ? ofStaff : ofUser;
    const needed = operation["x-scopes"] ?? [];
    // All scopes where none would suffice.
    const enough = needed === "any" ? (["chat:read"] as const) : needed.length > 0 ? needed : ALL_SCOPES;
    const lacking = ALL_SCOPES.filter((scope) => needed === "any" || !needed.includes(scope));
    const by = (token: string): Headers => ({ authorization: `Bearer ${token}` });
    switch (name) {
      case "bearer":
        return by(session);
      case "cookie":
        return { cookie: `lc_access_token=${session}`, "x-service-client": "spec" };
      case "cookieWithoutHeader":
        return { cookie: `lc_access_token=${session}` };
      case "expired":
        return by(expired);
      case "tokenWithScope":
        return by(await tokenWith(enough));
      case "tokenWithoutScope":
        return by(await tokenWith(lacking));
      case "apiKey":
        return { "x-api-key": await tokenWith(enough) };
      case "apiKeyWithoutScope":
        return { "x-api-key": await tokenWith(lacking) };
      case "endedToken":
        return by(ended.token);
      case "bannedToken":
        return by(bannedToken);
      case "overlayToken":
        return by(overlay.token);
      case "appealToken":
        return by(String(details.appeal_token));
      case "pendingTwoFactor":
        return by(String(pending));
    }
  };
}
