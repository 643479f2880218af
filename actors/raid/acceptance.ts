import type { Db } from "mongodb";
import type { Log } from "../../store/log.ts";
import { blocksIn } from "../../store/mongo/blocks.ts";
import { channelPeopleIn, isInForce } from "../../store/mongo/channel-people.ts";
import { followsIn } from "../../store/mongo/follows.ts";
import { type RaidSettingsDoc, raidSettingsIn } from "../../store/mongo/raid-settings.ts";
import { raidsIn } from "../../store/mongo/raids.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import type { Refusal } from "../host/definition.ts";
import type { RaidInput } from "./machine.ts";

/** Rooms hear of a raid when it begins, and once more when it is cancelled: so much of both a channel. */
const NEWS = { most: 10, withinMs: 600_000 };

/** Named as what the target's owner has set. */
type WhyNot = "block" | "ban" | "blocklist" | "accept_from" | "min_follow";

/** What the target's owner has set, as it is read beside the rest. */
type Wanted = Promise<RaidSettingsDoc>;

/** Whether both channels are live, and the target lets a raid of this source in. */
export function createAcceptance(db: Db, log: Log) {
  const streams = streamsIn(db);
  const settings = raidSettingsIn(db);
  const blocks = blocksIn(db);
  const people = channelPeopleIn(db);
  const follows = followsIn(db);
  const raids = raidsIn(db);

  /** By what the target's owner wants now, of the source's owner and of who began it; null = nothing is against it. */
  async function whyNotAccepted(raid: RaidInput, wanted: Wanted, now: Date): Promise<WhyNot | null> {
    const { sourceUserId, targetUserId, targetStreamId, createdBy } = raid;
    const raiders = [...new Set([sourceUserId, createdBy])];
    const [own, apart, bans, accepting, raiding] = await Promise.all([
      wanted,
      blocks.eitherWay(targetUserId, raiders),
      people.bansOf(targetStreamId, raiders),
      follows.find(targetUserId, sourceUserId),
      follows.find(sourceUserId, targetUserId),
    ]);
    if (apart.size > 0) return "block";
    if (raiders.some((id) => own.blockedUserIds.includes(id))) return "blocklist";
    // Who may not write in a room may not announce anything there either.
    if (bans.some((ban) => isInForce(ban, now))) return "ban";
    if (own.acceptFrom === "nobody" || (own.acceptFrom === "followed" && !accepting)) return "accept_from";
    if (own.minFollow === null) return null;
    const followsMs = raiding === null ? -1 : now.getTime() - raiding.createdAt.getTime();
    return followsMs >= own.minFollow * 60_000 ? null : "min_follow";
  }

  /** Why not is the target's own affair: it is logged for operators, and clients never learn it. */
  async function isAccepted(raid: RaidInput, wanted: Wanted, now: Date): Promise<boolean> {
    const why = await whyNotAccepted(raid, wanted, now);
    const { sourceUserId, targetUserId, createdBy } = raid;
    if (why) log.info({ why, sourceUserId, targetUserId, createdBy }, "a raid isn't accepted");
    return why === null;
  }

  /** Whoever begins and cancels them. */
  async function refusalByNumber({ sourceUserId }: RaidInput, now: Date): Promise<Refusal | null> {
    const begun = await raids.begunSince(sourceUserId, new Date(now.getTime() - NEWS.withinMs), NEWS.most);
    const news = begun.length + begun.filter(({ status }) => status === "cancelled").length;
    const oldest = begun.at(-1);
    if (!oldest || news < NEWS.most) return null;
    const retry_after_ms = oldest.createdAt.getTime() + NEWS.withinMs - now.getTime();
    return { code: "rate_limited", details: { bucket: "channel_raids", retry_after_ms } };
  }

  return {
    isAccepted,

    /** Of one that is to begin. */
    async refusalOf(input: RaidInput, now: Date): Promise<Refusal | null> {
      const [source, target] = await Promise.all([
        streams.find(input.sourceStreamId),
        streams.find(input.targetStreamId),
      ]);
      if (!source?.isLive) return { code: "stream_offline" };
      if (!target?.isLive) return { code: "target_offline" };
      if (!(await isAccepted(input, settings.of(input.targetUserId), now)))
        return { code: "raid_not_accepted" };
      return refusalByNumber(input, now);
    },
  };
}
