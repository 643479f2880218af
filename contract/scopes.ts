/**
 * The scopes of personal API tokens. The documents declare which of them an operation (`x-scopes`), a topic and a socket command
 * need: all that are listed. An empty list, or none at all, means that tokens are refused there.
 */
export const SCOPES = {
  "chat:read": "read chat rooms and subscribe to them",
  "chat:send": "send messages",
  "chat:moderate": "moderate rooms in which the user is a moderator",
  "polls:vote": "vote in polls",
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

/** Scopes that were a part of another one before: tokens of that time were given both, and later ones need each. */
export const SPLIT_FROM: Partial<Record<Scope, Scope>> = { "polls:vote": "chat:send" };

/** What a token may do. */
type HeldScopes = {
  scopes: readonly Scope[];
  /** The only channel in which it has them; absent: everywhere. */
  streamId?: string;
};

/**
 * What a token allows, and until when (Unix ms; null: no expiry). `kind`: a program acts by a personal token, which its user made
 * for it; by the token of an embedded chat, the user types; by that of an overlay nobody acts, and it opens what is declared for overlays.
 */
export type Grant = HeldScopes & {
  kind: "personal" | "embed" | "overlay";
  expiresAt: number | null;
  /** Of an overlay's token. */
  overlayId?: string;
};

/**
 * Null when a token is sufficient; otherwise what is needed. `streamId`: the channel that a path or command names, or null; a token
 * for one channel is refused without it. Without a declaration every token is refused.
 */
export function missingScopes(
  needed: NeededScopes | undefined,
  held: HeldScopes,
  streamId: string | null,
): { scopes: Scope[]; stream_id?: string } | null {
  if (needed === "any") return null;
  const scopes = [...(needed ?? [])];
  if (held.streamId !== undefined && streamId?.toLowerCase() !== held.streamId)
    return { scopes, stream_id: held.streamId };
  const isEnough = scopes.length > 0 && scopes.every((scope) => held.scopes.includes(scope));
  return isEnough ? null : { scopes };
}
