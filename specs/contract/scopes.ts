/**
 * The scopes of personal API tokens. The documents declare which of them an operation (`x-scopes`), a topic and a socket command
 * need: all that are listed. An empty list, or none at all, means that tokens are refused there.
 */
export const SCOPES = {
  "chat:read": "read chat rooms and subscribe to them",
  "chat:send": "send messages and vote in polls",
  "chat:moderate": "moderate rooms in which the user is a moderator",
  "channel:read": "read channels, including what only their owners see",
  "channel:manage": "manage the user's own channel, follows and blocks",
  "points:read": "read the user's own points, bets and redemptions",
  "points:manage": "spend the user's own points; manage the channel's rewards",
  "predictions:manage": "manage predictions in channels that the user moderates",
  "user:read": "read the user's own account data, and what everyone sees of other users",
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES).filter(isScope);

export function isScope(name: unknown): name is Scope {
  return typeof name === "string" && Object.hasOwn(SCOPES, name);
}

/** What an operation may declare; `any`: whatever the token's scopes are. */
export type NeededScopes = readonly Scope[] | "any";

/** Null when a token with `held` is sufficient; otherwise the needed scopes. Without a declaration every token is refused. */
export function missingScopes(
  needed: NeededScopes | undefined,
  held: readonly Scope[],
): { scopes: Scope[] } | null {
  if (needed === "any") return null;
  const isEnough = needed !== undefined && needed.length > 0 && needed.every((scope) => held.includes(scope));
  return isEnough ? null : { scopes: [...(needed ?? [])] };
}
