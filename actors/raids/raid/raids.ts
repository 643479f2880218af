import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { RaidUpdate } from "../../../contract/wire.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { raidMembersIn } from "../../../store/mongo/raids/raid-members.ts";
import { type RaidSettingsDoc, raidSettingsIn } from "../../../store/mongo/raids/raid-settings.ts";
import { type RaidDoc, raidsIn } from "../../../store/mongo/raids/raids.ts";
import { requireNoBlockBetween } from "../../channels/public.ts";
import { createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { type RaidDefinition, raidDefinition } from "./definition.ts";
import { RAID_METRICS } from "./metrics.ts";
import { raidUpdateView } from "./view.ts";

type Deps = { mongo: Mongo; host: Host; definition: RaidDefinition; clock: Clock };

/**
 * Raids: a channel takes its viewers to another one. Callers check who may begin and decide; the actor decides everything
 * else, and refusals are thrown as ServiceErrors.
 */
export function createRaids({ mongo, host, definition, clock }: Deps) {
  const raids = raidsIn(mongo.db);
  const members = raidMembersIn(mongo.db);
  const settings = raidSettingsIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const users = usersIn(mongo.db);
  const actors = createActorClient(host, definition);
  const now = () => new Date(clock.now());

  async function requireRaid(id: string): Promise<RaidDoc> {
    const doc = await raids.find(id);
    if (!doc) throw new ServiceError("not_found");
    return doc;
  }

  async function setOptedOut(raidId: string, userId: string, isOut: boolean): Promise<void> {
    const { status, targetUserId } = await requireRaid(raidId);
    if (status !== "pending") throw new ServiceError("invalid_state", { status });
    if (!isOut) await requireNoBlockBetween(blocks, targetUserId, userId);
    await members.setOptedOut(raidId, userId, isOut, now());
  }

  return {
    /**
     * Throws `self_target`, `stream_offline`, `target_offline`, `raid_not_accepted`, `rate_limited` (per source channel), and
     * `raid_in_progress` while the source has another open raid.
     */
    begin(begun: {
      source: Pick<StreamDoc, "_id" | "userId">;
      target: Pick<StreamDoc, "_id" | "userId">;
      message: string | null;
      by: string;
    }): Promise<RaidDoc> {
      const { source, target, message, by } = begun;
      if (source.userId === target.userId) throw new ServiceError("self_target");
      const input = {
        sourceUserId: source.userId,
        sourceStreamId: source._id,
        targetUserId: target.userId,
        targetStreamId: target._id,
        message,
        createdBy: by,
      };
      return actors.create(newId(), input, { by });
    },

    /** Throws `not_found`. */
    require: requireRaid,
    /** The raid that is pending or active, or null. */
    openFrom: (sourceStreamId: string) => raids.openFrom(sourceStreamId),
    /** Raids from and to the user's channel, newest first. */
    page: (userId: string, range: Range) => raids.page(userId, range),

    /**
     * Starts a raid before its countdown is over. Throws `invalid_state` in its first ten seconds, and `raid_not_accepted` when
     * the target doesn't accept it any more; that cancels the raid.
     */
    async start(id: string, by: string): Promise<RaidDoc> {
      const raid = await actors.ask(id, { type: "start" }, { by });
      if (raid.status === "cancelled") throw new ServiceError("raid_not_accepted");
      return raid;
    },
    cancel: (id: string, by: string) => actors.ask(id, { type: "cancel" }, { by }),

    /**
     * Everybody in the source's room who doesn't opt out is a member. Both throw `invalid_state` once the raid isn't pending, and
     * opting in throws `blocked` when there is a block between the target's owner and the user.
     */
    optOut: (raidId: string, userId: string) => setOptedOut(raidId, userId, true),
    optIn: (raidId: string, userId: string) => setOptedOut(raidId, userId, false),

    settingsOf: (userId: string): Promise<RaidSettingsDoc> => settings.of(userId),
    setSettings: (doc: RaidSettingsDoc) => settings.set(doc),

    history: actors.history,

    /** Open raids from and to a stream. */
    async roomState(streamId: string): Promise<{ raids: RaidUpdate[] }> {
      const docs = await raids.openAround(streamId);
      if (docs.length === 0) return { raids: [] };
      const ids = docs.flatMap(({ sourceUserId, targetUserId }) => [sourceUserId, targetUserId]);
      const found = await users.findManyPublic([...new Set(ids)]);
      const byId = new Map(found.map((user) => [user._id, user]));
      return { raids: docs.map((doc) => raidUpdateView(doc, byId, streamId)) };
    },
    /** For users who have joined the source's room on a worker; `membersLeft` is for those who have left it. */
    async membersCame(raidId: string, userIds: readonly string[], worker: string): Promise<void> {
      const raid = await raids.find(raidId);
      // Users aren't taken to a channel whose owner blocks them or is blocked by them.
      const blocked = raid ? await blocks.eitherWay(raid.targetUserId, userIds) : new Set<string>();
      await members.came(raidId, userIds, worker, now(), blocked);
    },
    membersLeft: members.left,
    optedOut: members.optedOut,
    /** For users who have opened the target's chat; only members who came in time count. */
    async membersArrived(raidId: string, userIds: readonly string[]): Promise<void> {
      if ((await raids.find(raidId))?.takesArrivals) await members.arrived(raidId, userIds, now());
    },
  };
}

export const raidsLifecycle = defineLifecycle({
  define: ({ db, log, meter, showsRaidMessage }) =>
    raidDefinition(db, log, meter.record(RAID_METRICS), showsRaidMessage),
  open: createRaids,
});

/** What a path names by {raid_id}: the source's. */
export async function raidResource(
  { raids }: { raids: { require(id: string): Promise<RaidDoc> } },
  id: string,
) {
  const raid = await raids.require(id);
  return { thing: raid, channel: { _id: raid.sourceStreamId, userId: raid.sourceUserId } };
}
