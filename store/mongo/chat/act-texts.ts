import type { ClientSession, Db } from "mongodb";
import type { ChatMessage } from "../../../contract/wire.ts";
import { type ActTextOutcome, type ActTextState, tipsIn } from "../monetization/tips.ts";
import { redemptionsIn } from "../points/redemptions.ts";
import type { HeldOutcome } from "./held-decisions.ts";

/** What became of a text that was held. */
const AFTER_HOLD = { approved: "shown", denied: "denied", expired: "expired" } as const satisfies Record<
  HeldOutcome,
  ActTextState
>;

type Act = NonNullable<ChatMessage["act"]>;

/** What viewers wrote with an act, in the act's own document. The room shows it as a message with the act's id. */
export function actTextsIn(db: Db) {
  const tips = tipsIn(db);
  const redemptions = redemptionsIn(db);
  return {
    /** Records what the room did, once; redemptions have no such field, since their text is in the channel's queue. */
    async decided({ type, id }: Act, outcome: ActTextOutcome, at: Date): Promise<void> {
      if (type === "tip") await tips.messageDecided(id, outcome, at);
    },
    /** The held message was approved, denied, or expired. */
    async resolved({ type, id }: Act, outcome: HeldOutcome, session: ClientSession): Promise<void> {
      if (type === "tip") await tips.heldMessageResolved(id, AFTER_HOLD[outcome], session);
    },
    /** The message was deleted in the room: the act loses its text. Idempotent. */
    async redact({ type, id }: Act, session?: ClientSession): Promise<void> {
      if (type === "tip") await tips.redact(id, session);
      if (type === "redemption") await redemptions.redact(id, session);
    },
  };
}

export type ActTexts = ReturnType<typeof actTextsIn>;
