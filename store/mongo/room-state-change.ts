import type { ChatModesDoc } from "./streams.ts";

/**
 * What an event changes in a room's admission state, applied in the same step as the event's append.
 * `ban` with `untilMs` null is permanent and hides that user's messages in the log; otherwise a timeout.
 */
export type RoomStateChange =
  | { kind: "modes"; modes: ChatModesDoc }
  | { kind: "ban"; userId: string; untilMs: number | null }
  | { kind: "unban"; userId: string }
  | { kind: "role"; userId: string; role: "moderator" | "vip" | null }
  | { kind: "delete"; uuid: string }
  | { kind: "clear" }
  /** What texts are checked with has changed: an older version counts no more. */
  | { kind: "config"; version: number }
  /** What admission keeps of a member, as a badge, has changed. */
  | { kind: "member"; userId: string }
  /** The event is a chat message that moderators let through. */
  | { kind: "message"; uuid: string; authorId: string }
  /** A held message waits no more. */
  | { kind: "resolved"; heldId: string };
