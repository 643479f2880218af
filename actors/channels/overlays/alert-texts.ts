import type { Clock } from "../../../base/clock.ts";
import { createLookupSlots } from "../../../realtime/rooms/lookup-slots.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import { type ChatBanDoc, type ChatBans, isInForce } from "../../../store/mongo/chat/chat-bans.ts";
import type { ModerationActions } from "../../../store/mongo/chat/moderation-actions.ts";
import type { ActivityDoc } from "../../../store/mongo/discovery/activity-feed.ts";
import type { TipDoc } from "../../../store/mongo/monetization/tips.ts";

/** How long a tip waits for what the room does with its text, ms: usually that is known within moments. */
const UNDECIDED_MS = 10_000;
/** Of a worker: an overlay may list 200 tips. */
const LOOKUPS_AT_ONCE = 8;

type Deps = {
  rooms: Pick<Rooms, "findMessage">;
  chatBans: Pick<ChatBans, "bansOf">;
  actions: Pick<ModerationActions, "lastOf">;
  clock: Clock;
};

/**
 * The texts of tips and raids on a broadcast: an overlay shows those that stand in the chat, and none that moderators have removed, nor
 * any whose author was banned or timed out since.
 */
export function createAlertTexts({ rooms, chatBans, actions, clock }: Deps) {
  const slots = createLookupSlots(LOOKUPS_AT_ONCE);

  /** Since when the room shows it, Unix ms; null without a text, and for one that is deleted, or hidden by a clear or a ban. */
  async function shownSince(streamId: string, one: ActivityDoc, clearedAt: number): Promise<number | null> {
    if (textIn(one) === null) return null;
    // A ban and a clear leave the tip its text, so the room itself is asked.
    if (one.kind === "tip") {
      const message = await slots.run(() => rooms.findMessage(streamId, one.doc._id));
      return message && !message.is_deleted ? message.timestamp : null;
    }
    // A raid's text is no message: nothing in the room says what became of it.
    return one.at.getTime() > clearedAt ? one.at.getTime() : null;
  }

  async function lastClear(streamId: string): Promise<number> {
    return (await actions.lastOf(streamId, "clear"))?.createdAt.getTime() ?? Number.NEGATIVE_INFINITY;
  }

  return {
    /** Whether it is known what became of the text, or isn't going to be soon. */
    isDecided: ({ message, messageState, paidAt }: TipDoc): boolean =>
      message === null || messageState !== null || clock.now() - Number(paidAt) >= UNDECIDED_MS,

    /** The same without the texts that aren't to be shown. */
    async asInChat(streamId: string, found: readonly ActivityDoc[]): Promise<ActivityDoc[]> {
      const clearedAt = found.some((one) => one.kind === "raid") ? await lastClear(streamId) : 0;
      const since = await Promise.all(found.map((one) => shownSince(streamId, one, clearedAt)));
      const shown = found.map((one, place) => ({ one, at: since[place] ?? null }));
      const authors = shown.flatMap(({ one, at }) => (at === null ? [] : authorsOf(one)));
      // Read last, so that none is missed that was set during the other reads.
      const bans = new Map((await chatBans.bansOf(streamId, authors)).map((ban) => [ban.userId, ban]));
      const now = new Date(clock.now());
      const hides = (ban: ChatBanDoc | undefined, at: number): boolean =>
        // One that has expired doesn't bring back what was written before.
        ban !== undefined && (isInForce(ban, now) || ban.createdAt.getTime() >= at);
      return shown.map(({ one, at }) =>
        at !== null && !authorsOf(one).some((id) => hides(bans.get(id), at)) ? one : withoutText(one),
      );
    },
  };
}

function textIn({ kind, doc }: ActivityDoc): string | null {
  if (kind === "tip") return doc.messageState === "shown" ? doc.message : null;
  return kind === "raid" ? doc.message : null;
}

/** Whoever has started a raid has written its text, in the name of its channel. */
function authorsOf({ kind, doc }: ActivityDoc): string[] {
  if (kind === "raid") return [doc.sourceUserId, doc.createdBy];
  return kind === "tip" && doc.fromUserId !== null ? [doc.fromUserId] : [];
}

function withoutText(one: ActivityDoc): ActivityDoc {
  if (one.kind === "tip") return { ...one, doc: { ...one.doc, message: null } };
  if (one.kind === "raid") return { ...one, doc: { ...one.doc, message: null } };
  return one;
}
