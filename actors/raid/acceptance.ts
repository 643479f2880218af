import type { Db } from "mongodb";
import { blocksIn } from "../../store/mongo/blocks.ts";
import { channelPeopleIn } from "../../store/mongo/channel-people.ts";
import { followsIn } from "../../store/mongo/follows.ts";
import { raidSettingsIn } from "../../store/mongo/raid-settings.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import type { Refusal } from "../host/definition.ts";
import type { RaidInput } from "./machine.ts";

/** Whether both channels are live, and the target lets a raid of this source in. */
export function createAcceptance(db: Db) {
  const streams = streamsIn(db);
  const settings = raidSettingsIn(db);
  const blocks = blocksIn(db);
  const people = channelPeopleIn(db);
  const follows = followsIn(db);

  async function isAccepted({ sourceUserId, targetUserId, targetStreamId }: RaidInput, now: Date) {
    const [own, apart, ban, accepting, raiding] = await Promise.all([
      settings.of(targetUserId),
      blocks.eitherWay(sourceUserId, [targetUserId]),
      people.banOf(targetStreamId, sourceUserId),
      follows.find(targetUserId, sourceUserId),
      follows.find(sourceUserId, targetUserId),
    ]);
    if (apart.size > 0 || own.blockedUserIds.includes(sourceUserId)) return false;
    // Who may not write in a room may not announce anything there either.
    if (ban && (ban.until === null || ban.until > now)) return false;
    if (own.acceptFrom === "nobody" || (own.acceptFrom === "followed" && !accepting)) return false;
    if (own.minFollow === null) return true;
    return raiding !== null && now.getTime() - raiding.createdAt.getTime() >= own.minFollow * 60_000;
  }

  return async function refusalOf(input: RaidInput, now: Date): Promise<Refusal | null> {
    const [source, target] = await Promise.all([
      streams.find(input.sourceStreamId),
      streams.find(input.targetStreamId),
    ]);
    if (!source?.isLive) return { code: "stream_offline" };
    if (!target?.isLive) return { code: "target_offline" };
    return (await isAccepted(input, now)) ? null : { code: "raid_not_accepted" };
  };
}
