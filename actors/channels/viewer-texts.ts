import { nullIfUnavailable } from "../../base/failures/unavailable.ts";
import { type ErrorCode, invalid, type Refusal, ServiceError } from "../../contract/errors.ts";
import { COMMAND_REFUSED, typedCommand } from "../../realtime/rooms/text.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import { type StreamDoc, streamsIn } from "../../store/mongo/channels/streams.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { actContent } from "./act-message.ts";
import { requireNoBlockBetween } from "./block-rules.ts";

type Channel = Pick<StreamDoc, "_id" | "userId">;
type Author = { _id: string; username: string };
type Visitor = { address: string };

const isUser = (author: Author | Visitor): author is Author => "_id" in author;

/** A raid refuses for any of these with `raid_not_accepted`, so that its message mustn't say which. */
const DECIDED_BY_RAID: readonly ErrorCode[] = ["banned", "timed_out", "blocked"];

/** What is typed as a command is shown nowhere in a room, whatever field it was typed into. */
function requireNoCommand(content: string, path: string): void {
  if (typedCommand(content) !== null) throw invalid({ ...COMMAND_REFUSED, path });
}

export type ViewerTexts = ReturnType<typeof createViewerTexts>;

/**
 * The door for what viewers write in a channel outside of its chat. The room's own rules decide (`rooms.checkActText`), so the
 * channel's owner and moderators pass their own terms, as in chat.
 */
export function createViewerTexts({ mongo, rooms }: Pick<FeatureDeps, "mongo" | "rooms">) {
  const blocks = blocksIn(mongo.db);
  const users = usersIn(mongo.db);
  const streams = streamsIn(mongo.db);

  /** As no moderator could decide about it later, what the room would hold counts as blocked. */
  async function refusalOf(channel: Channel, author: Author, title: string): Promise<Refusal | null> {
    const checked = await check(channel, author, title);
    if (checked.kind === "held") return { code: "blocked_term" };
    return checked.kind === "refused" ? checked.refusal : null;
  }

  async function check(channel: Channel, author: Author | Visitor, content: string) {
    const who = isUser(author) ? { userId: author._id, username: author.username } : author;
    return rooms.checkActText({ streamId: channel._id, author: who, content });
  }

  return {
    /**
     * For a text that goes with an act; `path` is where the request has it. While a store is unavailable it passes, since the room decides again when the act becomes
     * true. What would be held passes if the room has a place for it, or `isPrivate`: it won't be given to the room.
     * Throws `validation_failed` for a typed command, `blocked`, `banned`, `timed_out`, `blocked_term`, `rate_limited`;
     * `unavailable` while too many are held.
     */
    async requireActText(
      channel: Channel,
      author: Author | Visitor,
      { written, path, isPrivate }: { written: string | null; path: string; isPrivate: boolean },
    ): Promise<void> {
      const content = actContent(written);
      if (content === null) return;
      requireNoCommand(content, path);
      if (isUser(author)) await requireNoBlockBetween(blocks, author._id, channel.userId);
      const checked = await nullIfUnavailable(() => check(channel, author, content));
      if (checked === null || checked.kind === "shown") return;
      if (checked.kind === "held" && isPrivate) return;
      if (checked.refusal) throw ServiceError.of(checked.refusal);
    },

    /** For titles and the like. Throws `blocked`, `banned`, `timed_out`, `blocked_term`, `rate_limited`, `unavailable`. */
    async requireTitles(channel: Channel, author: Author, titles: string[]): Promise<void> {
      const shown = titles.filter((title) => title.trim() !== "");
      if (shown.length > 0) await requireNoBlockBetween(blocks, author._id, channel.userId);
      for (const title of shown) {
        const refusal = await refusalOf(channel, author, title);
        if (refusal) throw ServiceError.of(refusal);
      }
    },

    /**
     * For what a raid says in the channel that it goes to; the raid itself decides who may write there. `path` is where the
     * request has it. Throws `validation_failed` for a typed command, `blocked_term`, `rate_limited`, `unavailable`.
     */
    async requireRaidMessage(
      target: Channel,
      by: Author,
      { message, path }: { message: string; path: string },
    ): Promise<void> {
      requireNoCommand(message, path);
      const refusal = await refusalOf(target, by, message);
      if (refusal && !DECIDED_BY_RAID.includes(refusal.code)) throw ServiceError.of(refusal);
    },

    /**
     * Whether the target's room would show what a raid says, now that it departs. Not while a store is unavailable, or when it
     * can't be checked for another reason: the raid goes without its message.
     */
    async showsRaidMessage(
      target: Channel,
      { by, message }: { by: string; message: string },
    ): Promise<boolean> {
      try {
        const [author, room] = await Promise.all([users.loadWithoutSecrets(by), streams.find(target._id)]);
        if (author?.status !== "active" || !room?.modes.chatEnabled) return false;
        if (typedCommand(message) !== null) return false;
        return (await check(target, author, message)).kind === "shown";
      } catch (err) {
        if (err instanceof ServiceError) return false;
        throw err;
      }
    },
  };
}
