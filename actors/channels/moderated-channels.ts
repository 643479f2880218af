import type { ModeratedChannel } from "../../contract/wire.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import { summaryOf } from "../accounts/public.ts";
import type { FeatureDeps } from "../features/deps.ts";

/** The newest roles of one user: a list that is sorted in memory. */
const MOST = 1_000;

/** The channels of others that a user moderates. */
export function createModeratedChannels({
  mongo,
  grantedRoles,
  streams,
  directory,
}: Pick<FeatureDeps, "mongo" | "grantedRoles" | "streams" | "directory">) {
  const blocks = blocksIn(mongo.db);
  return {
    /** Live ones first, then by newest role. Without those whose account isn't active, and beside a block. */
    async page(
      userId: string,
      { skip, limit }: Range,
    ): Promise<{ items: ModeratedChannel[]; total: number }> {
      const roles = await grantedRoles.moderatedBy(userId, MOST);
      const found = await streams.findMany(roles.map(({ streamId }) => streamId));
      const ownerIds = found.map((stream) => stream.userId);
      const [owners, blocked] = await Promise.all([
        directory.usersByIds(ownerIds),
        blocks.eitherWay(userId, ownerIds),
      ]);
      const streamOf = new Map(found.map((stream) => [stream._id, stream]));
      const all = roles.flatMap(({ streamId, createdAt }): ModeratedChannel[] => {
        const stream = streamOf.get(streamId);
        const owner = owners.get(stream?.userId ?? "");
        if (!stream || owner?.status !== "active" || blocked.has(owner._id)) return [];
        return [
          {
            channel: summaryOf(owner._id, owner),
            stream_id: streamId,
            is_live: stream.isLive,
            viewer_count: stream.isLive ? stream.viewerCount : 0,
            title: stream.name,
            moderator_since: createdAt.toISOString(),
          },
        ];
      });
      const sorted = [...all.filter((one) => one.is_live), ...all.filter((one) => !one.is_live)];
      return { items: sorted.slice(skip, skip + limit), total: sorted.length };
    },
  };
}
