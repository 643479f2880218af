import type { ChatMessage } from "../../../contract/wire.ts";
import type { ChatModesDoc } from "./chat-modes.ts";

/**
 * A change of a room's admission state by an event, applied atomically with appending the event.
 * `ban` with `untilMs` null is permanent and hides that user's messages in the log; otherwise it is a timeout.
 */
export type RoomStateChange =
  | { kind: "modes"; modes: ChatModesDoc }
  | { kind: "ban"; userId: string; untilMs: number | null }
  | { kind: "unban"; userId: string }
  | { kind: "role"; userId: string; role: "moderator" | "vip" | null }
  | { kind: "delete"; uuid: string }
  | { kind: "clear" }
  /** The owner's account was banned or deleted, which closes the room to everybody, or is back. */
  | { kind: "standing"; isOpen: boolean }
  /** The configuration that texts are checked with has changed: older versions aren't accepted any more. */
  | { kind: "config"; version: number }
  /** Cached facts about a member, such as a badge, have changed. */
  | { kind: "member"; userId: string }
  /** The event is a chat message that moderators approved. */
  | { kind: "message"; uuid: string; authorId: string; unchecked?: never }
  /** A held message was decided about. */
  | { kind: "resolved"; heldId: string };

/**
 * The event is the text of an act, about which the room decides when it is published. Workers of the last release publish it as
 * one that moderators approved.
 */
export type UncheckedMessage = { kind: "message"; uuid: string; authorId: string; unchecked: ChatMessage };

/** What goes with an event. A text that is unchecked goes alone: where the room withholds it, nothing else would be applied. */
export type RoomEffects = readonly RoomStateChange[] | readonly [UncheckedMessage];

export function isUnchecked(effects: RoomEffects): effects is readonly [UncheckedMessage] {
  const [first] = effects;
  return first?.kind === "message" && first.unchecked !== undefined;
}
