/**
 * What personal API tokens may be good for. The documents say which of them an operation (`x-scopes`), a topic and a command
 * of the sockets need: all that are named. An empty list, or none at all, means that tokens are refused there.
 */
export const SCOPES = {
  "chat:read": "reading a room and following it",
  "chat:send": "sending messages, voting in polls",
  "chat:moderate": "what moderators do in a room, where the user is one",
  "channel:read": "reading channels, also what their owners see alone",
  "channel:manage": "changing the own channel; follows and blocks",
  "points:read": "the own points, bets and redemptions",
  "points:manage": "spending the own points; the channel's rewards",
  "predictions:manage": "predictions, where the user moderates",
  "user:read": "accounts: the own one, and what everyone sees of others",
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES).filter(isScope);

export function isScope(name: unknown): name is Scope {
  return typeof name === "string" && Object.hasOwn(SCOPES, name);
}

/** What an operation may declare; `any`: whatever the token's scopes are. */
export type NeededScopes = readonly Scope[] | "any";

/** Null when a token with `held` may; else what it needs. Nothing declared refuses every token. */
export function missingScopes(
  needed: NeededScopes | undefined,
  held: readonly Scope[],
): { scopes: Scope[] } | null {
  if (needed === "any") return null;
  const isEnough = needed !== undefined && needed.length > 0 && needed.every((scope) => held.includes(scope));
  return isEnough ? null : { scopes: [...(needed ?? [])] };
}
