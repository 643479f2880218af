import type { Clock } from "../../base/clock.ts";
import type { KnownBans } from "../../realtime/rooms/forget-versions.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../store/mongo/chat/chat-bans.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";

const PAGE = 500;

/**
 * Writes chat bans and timeouts back that a room in Redis knows and the restored database doesn't: only where Redis is newer, which
 * the version of the channel's last change says. By whom and why is lost: they are the owner's. Returns how many.
 */
export function restoreChatBans({ mongo: { db }, clock }: { mongo: Pick<Mongo, "db">; clock: Clock }) {
  const [streams, chatBans, users] = [streamsIn(db), chatBansIn(db), usersIn(db)];

  return async ({ streamId, version, bans }: KnownBans): Promise<number> => {
    const stream = await streams.find(streamId);
    if (!stream || version <= stream.chatVersion) return 0;
    const createdAt = new Date(clock.now());
    const inForce = bans.filter(({ untilMs }) => untilMs === 0 || untilMs > createdAt.getTime());
    let restored = 0;
    for (let i = 0; i < inForce.length; i += PAGE) {
      const page = inForce.slice(i, i + PAGE);
      const existing = await users.statuses(page.map(({ userId }) => userId));
      for (const { userId, untilMs } of page) {
        if (!existing.has(userId)) continue;
        const until = untilMs === 0 ? null : new Date(untilMs);
        const ban = { streamId, userId, until, by: stream.userId, createdAt };
        if (await chatBans.restoreBan(ban)) restored++;
      }
    }
    return restored;
  };
}
