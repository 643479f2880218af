import { raidDefinition } from "../../../../actors/raids/raid/definition.ts";
import type { RaidContext } from "../../../../actors/raids/raid/machine.ts";
import { RAID_METRICS } from "../../../../actors/raids/raid/metrics.ts";
import { newId } from "../../../../base/ids.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import type { UserDoc } from "../../../../store/mongo/accounts/users.ts";
import { raidMembersIn } from "../../../../store/mongo/raids/raid-members.ts";
import type { World } from "../world.ts";
import type { KeptSnapshot } from "./kept.ts";
import type { Stage, Subject } from "./stage.ts";

export function raidSubject(world: World): Subject {
  const members = raidMembersIn(world.mongo.db);

  async function come(raidId: string, userIds: string[]): Promise<void> {
    await members.came(raidId, userIds, "worker", new Date(world.clock.now()));
  }

  /** A raid between two live channels, with three members. */
  async function begun(stage: Stage): Promise<string> {
    const [source, target] = await Promise.all([
      world.stream({ isLive: true }),
      world.stream({ isLive: true }),
    ]);
    const id = newId();
    await stage.create(id, {
      sourceUserId: source.userId,
      sourceStreamId: source._id,
      targetUserId: target.userId,
      targetStreamId: target._id,
      message: "Wave when you come in",
      createdBy: source.userId,
    });
    await come(id, [newId(), newId(), newId()]);
    return id;
  }

  return {
    definition: raidDefinition(
      world.mongo.db,
      world.deps.log,
      silentMeter().record(RAID_METRICS),
      async () => true,
    ),
    beside: ["raids", "raid_members", "streams", "stream_titles", "users", "balances", "ledger", "hosting"],

    async drive(stage) {
      const goes = await begun(stage);
      await stage.keep(goes);
      // To be startable, then to start; each time the first due timer.
      for (let n = 0; n < 3; n++) {
        await stage.fireNext(goes);
        await stage.keep(goes);
      }
      await stage.fireNext(goes);
      await stage.keep(goes);

      const cancelled = await begun(stage);
      await stage.send(cancelled, { type: "cancel" });
      await stage.keep(cancelled);
    },

    async plant(kept) {
      const { raidId, source, target } = partsOf(kept);
      for (const channel of [source, target]) {
        await world.stream({ ...channel, isLive: true });
        // Only the account's existence is read.
        const { userId: _id } = channel;
        const users =
          world.mongo.db.collection<Pick<UserDoc, "_id" | "status" | "username" | "emailKey">>("users");
        await users.insertOne({ _id, status: "active", username: _id, emailKey: _id });
      }
      const [one, two] = [newId(), newId()];
      await come(raidId, [one, two]);
      await members.arrived(raidId, [one], kept.doc.updatedAt);
    },

    commands: () => ({
      start: { type: "start" },
      cancel: { type: "cancel" },
      targetWentOffline: { type: "targetWentOffline" },
      countdownOver: { type: "countdownOver" },
    }),
  };
}

/** The fields that other documents depend on, in any version. */
function partsOf({ doc, context }: KeptSnapshot) {
  const { sourceUserId, sourceStreamId, targetUserId, targetStreamId } = context as RaidContext;
  return {
    raidId: doc._id.slice("raid:".length),
    source: { _id: sourceStreamId, userId: sourceUserId },
    target: { _id: targetStreamId, userId: targetUserId },
  };
}
