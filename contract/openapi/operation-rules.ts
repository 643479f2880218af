import { ERRORS, type ErrorCode, isErrorCode } from "../errors.ts";
import { isObject, type JsonObject, objectAt } from "../json.ts";
import { limitInWords } from "../operation-limits.ts";
import { isPeer, PEERS } from "../peers.ts";
import { isScope, type NeededScopes } from "../scopes.ts";
import { errorAnswer, errorAnswerName } from "./error-answers.ts";

const UNSAFE = new Set(["put", "post", "patch", "delete"]);

const SECURITY: Record<string, JsonObject[]> = {
  anonymous: [],
  optional: [{}, { bearerAuth: [] }, { cookieAuth: [] }],
  session: [{ bearerAuth: [] }, { cookieAuth: [] }],
  refresh: [{}, { refreshCookie: [] }],
  system: [{ systemKey: [] }],
  staff: [{ bearerAuth: [] }, { cookieAuth: [] }],
};

const COMMON_HEADERS = {
  "X-Request-Id": { $ref: "#/components/headers/RequestId" },
};
const LIMIT_HEADERS = {
  "RateLimit-Limit": { $ref: "#/components/headers/RateLimitLimit" },
  "RateLimit-Remaining": { $ref: "#/components/headers/RateLimitRemaining" },
  "RateLimit-Reset": { $ref: "#/components/headers/RateLimitReset" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
};

/**
 * Completes one operation: its security from x-access, the error codes that follow from its access, body and
 * parameters, and an answer for each status of those codes (kept in `sharedResponses` under a name,
 * since most operations refuse in the same ways). `kinds`: of loadedKinds. Throws when the author left out what is required.
 */
export function completeOperation(
  method: string,
  operation: JsonObject,
  { sharedResponses, kinds }: { sharedResponses: JsonObject; kinds: LoadedKinds },
): void {
  const name = String(operation.operationId);
  const access = objectAt(operation, "x-access", name);
  const who = String(access.who);
  const security = SECURITY[who];
  if (!security) throw new Error(`${name}: x-access.who "${who}" isn't known`);
  requireReadable(name, access);
  if (who === "staff") operation["x-scopes"] = [];
  const scopes = neededScopes(name, who, operation["x-scopes"]);
  if (access.step_up === true && takesTokens(scopes))
    throw new Error(`${name}: a personal token can't step up, so x-scopes is []`);
  operation.security = [
    ...(access.token_only === true || access.overlay === "only" ? [] : security),
    ...(access.query_key ? [{ systemKeyQuery: [] }] : []),
    ...(access.overlay === undefined ? [] : [{ overlayToken: [] }]),
    ...(takesTokens(scopes) ? TOKEN_CARRIERS.map((scheme) => ({ [scheme]: scopesToShow(scopes) })) : []),
  ];
  const own = typeof operation.description === "string" ? [operation.description.trim()] : [];
  const kept = "x-cache-seconds" in operation ? [keptFor(method, name, operation)] : [];
  const limit = limitOf(name, operation["x-rate-limit"]);
  const callers = whoMayCall(access, scopes) + proofOf(access);
  operation.description = [...own, ...limit, ...kept, callers].join("\n\n");

  const loaded = loadedBy(operation, access, kinds);
  const ofChannel = access.channel !== undefined || access.role === true;
  if (loaded === "user" && ofChannel)
    throw new Error(`${name}: its path names a user and no channel, whose roles x-access could mean`);
  if (loaded !== null) operation["x-loads"] = loaded;
  else if (ofChannel && access.preload !== false) throw new Error(`${name}: whose channel?`);
  const visibility = visibilityOf(method, operation, access);
  if (visibility !== null) operation["x-visibility"] = visibility;
  else if (access.inactive ?? access.blocked) throw new Error(`${name} names no channel and no user`);

  const codes = [...new Set([...ownErrors(name, operation), ...impliedErrors(method, operation, access)])];
  operation["x-errors"] = codes.sort(byStatus);
  const responses = objectAt(operation, "responses", name);
  const limited = operation["x-rate-limit"] !== "none";
  for (const response of Object.values(responses)) {
    if (!isObject(response)) throw new Error(`${name} has a response that is not an object`);
    const own = isObject(response.headers) ? response.headers : {};
    response.headers = { ...own, ...COMMON_HEADERS, ...(limited ? LIMIT_HEADERS : {}) };
  }
  if (codes.includes("client_header_required")) {
    const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
    operation.parameters = [...parameters, { $ref: "#/components/parameters/ServiceClient" }];
  }
  for (const status of new Set(codes.map((code) => ERRORS[code][0]))) {
    const ofStatus = codes.filter((code) => ERRORS[code][0] === status);
    const shared = errorAnswerName(name, status, ofStatus);
    sharedResponses[shared] ??= errorAnswer(status, ofStatus, { ...COMMON_HEADERS, ...LIMIT_HEADERS });
    responses[status] = { $ref: `#/components/responses/${shared}` };
  }
}

/** An answer may be cached only if it is what anonymous callers get, and if reading it changes nothing. */
function keptFor(method: string, name: string, operation: JsonObject): string {
  const seconds = operation["x-cache-seconds"];
  const { who } = objectAt(operation, "x-access", name);
  const isForAll = who === "optional" || who === "anonymous";
  const statuses = Object.keys(objectAt(operation, "responses", name));
  if (method !== "get" || !isForAll || statuses.join() !== "200" || !Number.isSafeInteger(seconds))
    throw new Error(`${name} can't have x-cache-seconds`);
  return `Answers to requests without credentials may be up to ${seconds} s old.`;
}

/** By parameter of `components`: the kind of resource that it names. */
type LoadedKinds = ReadonlyMap<string, string>;

/** Takes `x-loads` out of the parameters: the published document says it of the operations. */
export function loadedKinds(parameters: JsonObject): LoadedKinds {
  const kinds = new Map<string, string>();
  for (const [name, parameter] of Object.entries(parameters)) {
    if (!isObject(parameter) || parameter["x-loads"] === undefined) continue;
    kinds.set(name, String(parameter["x-loads"]));
    delete parameter["x-loads"];
  }
  return kinds;
}

/** The resource that is loaded before the handler runs; null when the handler loads it. */
function loadedBy({ parameters }: JsonObject, access: JsonObject, kinds: LoadedKinds): string | null {
  if (access.preload === false || access.without_database === true) return null;
  const refs = (Array.isArray(parameters) ? parameters : []).filter(isObject).map(({ $ref }) => $ref);
  const named = [...kinds].filter(([name]) => refs.includes(`#/components/parameters/${name}`));
  if (named.length > 1) throw new Error(`${named.join(" and ")} in one path: which is loaded?`);
  return named[0]?.[1] ?? null;
}

/**
 * What the standing of the named channel's owner means for the operation. Unless it says otherwise, nothing of an account that is
 * banned or deleted is there, and whom the owner has blocked may read and watch, but not write or act.
 */
function visibilityOf(method: string, operation: JsonObject, access: JsonObject): JsonObject | null {
  const isNamed =
    operation["x-loads"] !== undefined || access.preload === false || access.names !== undefined;
  if (!isNamed) return null;
  const writes = UNSAFE.has(method) && access.who !== "anonymous";
  return {
    inactive: access.inactive ?? "refused",
    blocked: access.blocked ?? (writes ? "refused" : "allowed"),
  };
}

function limitOf(name: string, bucket: unknown): string[] {
  if (bucket === undefined) return [];
  if (bucket === "none") return ["Limit: none."];
  const words = limitInWords(String(bucket));
  if (words === null) throw new Error(`${name}: nobody knows the bucket ${String(bucket)}`);
  return [`Limit: ${words} (bucket \`${String(bucket)}\`), in addition to the limit on all requests.`];
}

const ACCESS_VALUES: Record<string, readonly unknown[]> = {
  peer: Object.keys(PEERS),
  channel: ["owner", "moderator"],
  or: ["author", "staff", "author_or_staff"],
  signed: ["standard", "stripe"],
  preload: [false],
  names: ["body", "query", "path"],
  inactive: ["allowed"],
  blocked: ["allowed", "refused"],
  role: [true],
  own: [true],
  query_key: [true],
  open_query: [true],
  without_database: [true],
  client_header: [true],
  token_only: [true],
  overlay: ["allowed", "only"],
};

/** Throws for unknown or contradictory rules: one that nothing enforces would look as if it held. */
function requireReadable(name: string, { who, step_up, ...access }: JsonObject): void {
  const isKnown = step_up === undefined || step_up === true || Array.isArray(step_up);
  if (!isKnown || (step_up && who !== "session")) throw new Error(`${name}: x-access.step_up isn't known`);
  for (const [key, value] of Object.entries(access)) {
    if (!ACCESS_VALUES[key]?.includes(value))
      throw new Error(`${name}: x-access.${key} "${String(value)}" isn't known`);
  }
  const { channel, or } = access;
  if ((who === "system") !== isPeer(access.peer))
    throw new Error(`${name}: x-access.peer goes with who: system, and names one of peers.ts`);
  // A key in a URL is in logs of servers on the way.
  if (access.query_key !== undefined && access.peer !== "ingest")
    throw new Error(`${name}: only an RTMP server sends its key in the query`);
  if (or !== undefined && channel === undefined) throw new Error(`${name}: x-access.or goes with channel`);
  if (channel !== undefined && who !== "session")
    throw new Error(`${name}: x-access.channel is for who: session`);
}

const CALLERS: Record<string, string> = {
  anonymous: "anybody",
  optional: "anybody",
  session: "signed-in users",
  refresh: "holders of a refresh token",
  staff: "staff",
};
const ROLES: Record<string, string> = {
  owner: "the channel's owner",
  moderator: "the channel's owner, its moderators, and staff",
};
const OTHERS: Record<string, string> = {
  staff: ", and staff",
  author: "; authors, for their own content",
  author_or_staff: ", and staff; authors, for their own content",
};

const TOKEN_CARRIERS = ["personalToken", "apiKey"];

/** Where credentials are checked, a personal token may be used, so each such operation declares the scopes that it needs. */
function neededScopes(name: string, who: string, scopes: unknown): NeededScopes | undefined {
  const mayHave = who === "session" || who === "optional" || who === "staff";
  if (scopes === undefined && !mayHave) return undefined;
  if (!mayHave) throw new Error(`${name}: x-scopes is for those who may show a personal token`);
  if (scopes === "any") return scopes;
  if (Array.isArray(scopes) && scopes.every(isScope)) return scopes;
  throw new Error(`${name} needs x-scopes: any, or a list of scopes.ts`);
}

const takesTokens = (scopes: NeededScopes | undefined): scopes is NeededScopes =>
  scopes !== undefined && scopes.length > 0;
const scopesToShow = (scopes: NeededScopes): readonly string[] => (scopes === "any" ? [] : scopes);

/** x-access and x-scopes as readers of the page need them. */
function whoMayCall(access: JsonObject, scopes: NeededScopes | undefined): string {
  const { who, peer, channel, or, role, own, token_only, overlay } = access;
  if (overlay === "only") return "Who: overlays, by the tokens of their links.";
  if (isPeer(peer)) return `Who: ${PEERS[peer]}, by a system key of its own.`;
  if (token_only === true)
    return `Who: programs with a personal token; sessions are refused. ${tokensWith(scopes ?? [])}`;
  const caller = channel === undefined ? CALLERS[String(who)] : ROLES[String(channel)];
  const other = or === undefined ? "" : OTHERS[String(or)];
  if (caller === undefined || other === undefined) throw new Error(`nobody knows who ${String(who)} is`);
  const tokens = scopes === undefined ? "" : ` ${tokensWith(scopes)}`;
  const isOwn = who === "optional" && (role === true || own === true);
  const answer = isOwn ? "; signed-in callers get their own answer" : "";
  return `Who: ${caller}${other}${answer}.${tokens}`;
}

function proofOf({ step_up }: JsonObject): string {
  if (step_up === undefined) return "";
  const fields = Array.isArray(step_up) ? ` to change ${step_up.join(", ")}` : "";
  return ` Requires a sign-in or step-up within the last five minutes${fields}.`;
}

function tokensWith(scopes: NeededScopes): string {
  if (scopes === "any") return "Personal tokens with any scopes are accepted.";
  if (scopes.length === 0) return "Personal tokens are refused.";
  return `Personal tokens need ${scopes.map((scope) => `\`${scope}\``).join(", ")}.`;
}

function ownErrors(name: string, operation: JsonObject): ErrorCode[] {
  const codes = operation["x-errors"];
  if (!Array.isArray(codes)) throw new Error(`${name} needs x-errors`);
  return codes.map((code) => {
    if (typeof code === "string" && isErrorCode(code)) return code;
    throw new Error(`${name}: the registry doesn't know the error ${String(code)}`);
  });
}

function impliedErrors(method: string, operation: JsonObject, access: JsonObject): ErrorCode[] {
  const codes: ErrorCode[] = ["validation_failed", "internal", "unavailable"];
  const { who } = access;
  // Refusals of strangers count in any case.
  if (operation["x-rate-limit"] !== "none" || who !== "anonymous") codes.push("rate_limited");
  if (operation.requestBody) codes.push("payload_too_large", "unsupported_media_type");
  if (who === "session" || who === "staff" || who === "refresh") codes.push("auth_required");
  if (who !== "anonymous" && who !== "system") {
    codes.push("invalid_token", "account_banned");
    if (who !== "refresh" && operation["x-scopes"] !== "any") codes.push("insufficient_scope");
    const isByCookie = UNSAFE.has(method) || access.client_header === true;
    if (isByCookie) codes.push("client_header_required");
  }
  if (who === "system") codes.push("system_key_required");
  const visibility = operation["x-visibility"];
  if (isObject(visibility)) {
    if (visibility.inactive === "refused") codes.push("not_found");
    // A block takes the role back that the operation requires, so that the role is what is missed.
    const isByRole =
      access.channel !== undefined && access.or !== "author" && access.or !== "author_or_staff";
    if (visibility.blocked === "refused" && !isByRole) codes.push("blocked");
  }
  if (access.signed) codes.push("signature_invalid");
  if (access.channel || access.token_only || access.overlay === "only" || who === "staff")
    codes.push("forbidden");
  if (who === "staff") codes.push("two_factor_required");
  if (access.step_up) codes.push("step_up_required");
  if (JSON.stringify(operation.parameters ?? []).includes("/IdempotencyKey"))
    codes.push("idempotency_conflict");
  return codes;
}

/** By status, then by name: the document doesn't change when a line of YAML moves. */
function byStatus(a: ErrorCode, b: ErrorCode): number {
  return ERRORS[a][0] - ERRORS[b][0] || (a < b ? -1 : 1);
}
