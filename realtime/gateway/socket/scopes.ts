import { ServiceError } from "../../../contract/errors.ts";
import { MODERATOR_SCOPES, TOPIC_SCOPES } from "../../../contract/generated/sockets.ts";
import { missingScopes, type NeededScopes } from "../../../contract/scopes.ts";
import type { TicketHolder } from "./connection.ts";

type Holder = Pick<TicketHolder, "grant"> | null;

const missingOf = (holder: Holder, needed: NeededScopes | undefined, streamId: string | null) =>
  holder?.grant ? missingScopes(needed, holder.grant, streamId) : null;

/**
 * Checks the scopes of a socket that was opened with a personal API token. `streamId`: the channel that is named, or null. Throws
 * insufficient_scope.
 */
export function requireScopes(
  holder: Holder,
  needed: NeededScopes | undefined,
  streamId: string | null,
): void {
  const missing = missingOf(holder, needed, streamId);
  if (missing) throw new ServiceError("insufficient_scope", missing);
}

/**
 * The scopes that following a channel needs, by its topic (the part before the colon). An embedded chat may follow `user` with any:
 * it gets only what became of its own held messages (channels/user-feed.ts), and an overlay only what is about itself.
 */
export function scopesOfTopic(channel: string, holder: Holder): NeededScopes | undefined {
  const [topic] = channel.split(":");
  const kind = holder?.grant?.kind;
  if (topic === "user" && (kind === "embed" || kind === "overlay")) return "any";
  // Its scopes are for the room of its channel alone.
  if (topic === "viewers" && kind === "overlay") return [];
  return Object.entries(TOPIC_SCOPES).find(([name]) => name === topic)?.[1];
}

/** Whether it is the socket of an overlay. */
export const isOverlay = (holder: Holder): boolean => holder?.grant?.kind === "overlay";

/** Whether it is the socket of an overlay of that channel that shows what happens there. */
export const showsActivity = (holder: Holder, streamId: string): boolean =>
  isOverlay(holder) && missingOf(holder, ["channel:read"], streamId) === null;

/** Whether a moderator's socket has the scopes for what only moderators of that stream's room get. */
export const mayModerate = (holder: Holder, streamId: string): boolean =>
  missingOf(holder, MODERATOR_SCOPES, streamId) === null;
