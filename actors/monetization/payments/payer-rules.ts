import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import type { ChatBans } from "../../../store/mongo/chat/chat-bans.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Directory } from "../../accounts/public.ts";
import type { ViewerTexts } from "../../channels/public.ts";
import { refusalByBan, requireNoBlockBetween } from "../../channels/public.ts";

/** Who may pay in a channel, beside those who have no checkout there already. */
export function createPayerRules(deps: {
  mongo: Mongo;
  clock: Clock;
  directory: Pick<Directory, "requireUser">;
  streams: Pick<Streams, "findByUser">;
  chatBans: Pick<ChatBans, "banOf">;
  viewerTexts: Pick<ViewerTexts, "requireActText">;
}) {
  const { clock, directory, streams, chatBans, viewerTexts } = deps;
  const blocks = blocksIn(deps.mongo.db);
  return {
    /** A block in either direction counts. Throws `blocked`. */
    requireNoBlockWith: (userId: string, otherId: string) => requireNoBlockBetween(blocks, userId, otherId),

    /** Tips and gifts are shown in the room like messages. Throws `banned`, `timed_out`. */
    async requireMaySpeak(userId: string, channelUserId: string): Promise<void> {
      const stream = await streams.findByUser(channelUserId);
      const ban = stream && (await chatBans.banOf(stream._id, userId));
      const refusal = refusalByBan(ban, new Date(clock.now()));
      if (refusal) throw ServiceError.of(refusal);
    },

    /** What a tip says is shown in the room, unless it is anonymous. Throws what `requireActText` throws. */
    async requireMayShow(
      { by, address }: { by: string | null; address: string },
      channelUserId: string,
      text: { written: string; isPrivate: boolean },
    ): Promise<void> {
      const stream = await streams.findByUser(channelUserId);
      if (!stream) return;
      const author = by === null ? { address } : await directory.requireUser(by);
      await viewerTexts.requireActText(stream, author, { ...text, path: "/body/message" });
    },
  };
}
