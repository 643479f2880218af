import type { Clock } from "../../../base/clock.ts";
import type { Rooms } from "../../../realtime/rooms/rooms.ts";
import { type ChatBans, isInForce } from "../../../store/mongo/chat/chat-bans.ts";
import type { ActivityDoc } from "../../../store/mongo/discovery/activity-feed.ts";
import type { TipDoc } from "../../../store/mongo/monetization/tips.ts";

/** How long a tip waits for what the room does with its text, ms: usually that is known within moments. */
const UNDECIDED_MS = 10_000;

type Deps = { rooms: Pick<Rooms, "findMessage">; chatBans: Pick<ChatBans, "bansOf">; clock: Clock };

/** The texts of tips on a broadcast: an overlay shows those that stand in the chat, and none that moderators have removed. */
export function createTipTexts({ rooms, chatBans, clock }: Deps) {
  return {
    /** Whether it is known what became of the text, or isn't going to be soon. */
    isDecided: ({ message, messageState, paidAt }: TipDoc): boolean =>
      message === null || messageState !== null || clock.now() - Number(paidAt) >= UNDECIDED_MS,

    /**
     * The same without the texts that were deleted, or hidden by a clear or a ban, and those of authors who are timed out. A ban and a
     * clear leave the tip its text, so the room itself is asked.
     */
    async asInChat(streamId: string, found: readonly ActivityDoc[]): Promise<ActivityDoc[]> {
      const shown = found.flatMap(({ kind, doc }) =>
        kind === "tip" && doc.message !== null && doc.messageState === "shown" ? [doc] : [],
      );
      const authors = shown.flatMap(({ fromUserId }) => fromUserId ?? []);
      const [bans, messages] = await Promise.all([
        chatBans.bansOf(streamId, authors),
        Promise.all(shown.map(({ _id }) => rooms.findMessage(streamId, _id))),
      ]);
      const now = new Date(clock.now());
      const restricted = new Set(bans.filter((ban) => isInForce(ban, now)).map(({ userId }) => userId));
      const inChat = new Set(
        shown
          .filter(({ fromUserId }, place) => {
            const isHere = messages[place]?.is_deleted === false;
            return isHere && !(fromUserId !== null && restricted.has(fromUserId));
          })
          .map(({ _id }) => _id),
      );
      return found.map((one) =>
        one.kind !== "tip" || inChat.has(one.doc._id) ? one : { ...one, doc: { ...one.doc, message: null } },
      );
    },
  };
}
