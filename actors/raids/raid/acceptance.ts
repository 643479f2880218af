import type { Db } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { type RateLimit, usedUp } from "../../../contract/errors.ts";
import { isGone } from "../../../store/mongo/accounts/account-status.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { followsIn } from "../../../store/mongo/channels/follows.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { chatBansIn, isInForce } from "../../../store/mongo/chat/chat-bans.ts";
import { type RaidSettingsDoc, raidSettingsIn } from "../../../store/mongo/raids/raid-settings.ts";
import { raidsIn } from "../../../store/mongo/raids/raids.ts";
import type { Refusal } from "../../host/definition.ts";
import type { RaidInput } from "./machine.ts";

/** A channel's rate limit of announcements: rooms are notified when a raid begins, and again when it is cancelled. */
const ANNOUNCEMENTS: RateLimit = { bucket: "channel_raids", limit: 10, windowSeconds: 600 };

/** A banned or deleted account, a block or a ban, each of either raider, or the setting of the target's owner that applies. */
type RefusalReason = "account" | "block" | "ban" | "blocklist" | "accept_from" | "min_follow";

/** The settings of the target's owner; a promise, so that they are read concurrently with the rest. */
type TargetSettings = Promise<RaidSettingsDoc>;

/** Decides whether both channels are live, and whether the target accepts a raid from this source. */
export function createAcceptance(db: Db, log: Log) {
  const streams = streamsIn(db);
  const settings = raidSettingsIn(db);
  const blocks = blocksIn(db);
  const chatBans = chatBansIn(db);
  const follows = followsIn(db);
  const raids = raidsIn(db);
  const users = usersIn(db);

  /** Applies the target's current settings to the source's owner and to who began the raid; null when it is accepted. */
  async function whyNotAccepted(
    raid: RaidInput,
    targetSettings: TargetSettings,
    now: Date,
  ): Promise<RefusalReason | null> {
    const { sourceUserId, targetUserId, targetStreamId, createdBy } = raid;
    const raiders = [...new Set([sourceUserId, createdBy])];
    const [own, accounts, blocked, bans, targetFollow, sourceFollow] = await Promise.all([
      targetSettings,
      users.findManyPublic(raiders),
      blocks.eitherWay(targetUserId, raiders),
      chatBans.bansOf(targetStreamId, raiders),
      follows.find(targetUserId, sourceUserId),
      follows.find(sourceUserId, targetUserId),
    ]);
    if (accounts.some(isGone)) return "account";
    if (blocked.size > 0) return "block";
    if (raiders.some((id) => own.blockedUserIds.includes(id))) return "blocklist";
    // Users who may not chat in a room may not announce anything there either.
    if (bans.some((ban) => isInForce(ban, now))) return "ban";
    if (own.acceptFrom === "nobody" || (own.acceptFrom === "followed" && !targetFollow)) return "accept_from";
    if (own.minFollow === null) return null;
    const followsMs = sourceFollow === null ? -1 : now.getTime() - sourceFollow.createdAt.getTime();
    return followsMs >= own.minFollow * MINUTE_MS ? null : "min_follow";
  }

  /** The reason is private to the target: it is logged for operators, but never sent to clients. */
  async function isAccepted(raid: RaidInput, targetSettings: TargetSettings, now: Date): Promise<boolean> {
    const why = await whyNotAccepted(raid, targetSettings, now);
    const { sourceUserId, targetUserId, createdBy } = raid;
    if (why) log.info({ why, sourceUserId, targetUserId, createdBy }, "a raid isn't accepted");
    return why === null;
  }

  /** Applies the rate limit of announcements, per channel and not per user. */
  async function refusalByRate({ sourceUserId }: RaidInput, now: Date): Promise<Refusal | null> {
    const windowMs = ANNOUNCEMENTS.windowSeconds * 1_000;
    const begun = await raids.begunSince(
      sourceUserId,
      new Date(now.getTime() - windowMs),
      ANNOUNCEMENTS.limit,
    );
    const announced = begun.length + begun.filter(({ status }) => status === "cancelled").length;
    const oldest = begun.at(-1);
    if (!oldest || announced < ANNOUNCEMENTS.limit) return null;
    const waitMs = oldest.createdAt.getTime() + windowMs - now.getTime();
    return { code: "rate_limited", details: usedUp(ANNOUNCEMENTS, waitMs) };
  }

  return {
    isAccepted,

    /** The refusal of a raid that is about to begin; null when it may. */
    async refusalOf(input: RaidInput, now: Date): Promise<Refusal | null> {
      const [source, target] = await Promise.all([
        streams.find(input.sourceStreamId),
        streams.find(input.targetStreamId),
      ]);
      if (!source?.isLive) return { code: "stream_offline" };
      if (!target?.isLive) return { code: "target_offline" };
      if (!(await isAccepted(input, settings.of(input.targetUserId), now)))
        return { code: "raid_not_accepted" };
      return refusalByRate(input, now);
    },
  };
}
