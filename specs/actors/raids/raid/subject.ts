import { expect } from "chai";
import type { Db } from "mongodb";
import { raidDefinition } from "../../../../actors/raids/raid/definition.ts";
import type { RaidContext } from "../../../../actors/raids/raid/machine.ts";
import { RAID_METRICS } from "../../../../actors/raids/raid/metrics.ts";
import { newId } from "../../../../base/ids.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import type { UserDoc } from "../../../../store/mongo/accounts/users.ts";
import { timersIn } from "../../../../store/mongo/host/timers.ts";
import type { LedgerDoc } from "../../../../store/mongo/points/ledger.ts";
import { raidMembersIn } from "../../../../store/mongo/raids/raid-members.ts";
import {
  RAID_ARRIVAL_MS,
  RAID_COUNTDOWN_MS,
  RAID_HOLD_MS,
  type RaidDoc,
} from "../../../../store/mongo/raids/raids.ts";
import { expectSoundLedger } from "../../host/invariants.ts";
import type { StoredActor, Subject } from "../../host/subject.ts";
import { eachOf, setClock } from "../../host/timers-after-downtime/waiting.ts";
import type { KeptSnapshot } from "../../host/versions/kept.ts";
import type { Driver, Stage } from "../../host/versions/stage.ts";
import type { World } from "../../host/world.ts";

function driver(world: World): Driver {
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

async function expectDocument(db: Db, { id, path, status, context }: StoredActor): Promise<void> {
  const doc = await db.collection<RaidDoc>("raids").findOne({ _id: id });
  expect(doc, `the document of raid ${id}`).deep.include({
    status,
    isOpen: status === "pending" || status === "active",
    takesArrivals: path === "active.arriving",
    viewerCount: context.viewers,
  });
  if (status !== "completed") return;
  const entries = await db.collection<LedgerDoc>("ledger").find({ ref: id, reason: "raid" }).toArray();
  const paid = new Set(entries.map(({ userId }) => userId));
  expect(paid.size, `those who were paid once for raid ${id}`).equal(entries.length);
  // The others were paid for another raid into the same broadcast.
  const before = { reason: "raid" as const, ref: { $ne: id }, channelUserId: String(context.targetUserId) };
  const others = await db.collection<LedgerDoc>("ledger").distinct("userId", before);
  expect(paid.size, `those who were paid for raid ${id}`).at.most(Number(context.viewers));
  if (others.length === 0) expect(paid.size).equal(context.viewers);
}

/** The events that announce its states, in both rooms. */
const NEWS: Readonly<Record<string, readonly string[]>> = {
  pending: ["raid.pending", "raid.pending"],
  active: ["raid.go", "raid.incoming"],
  cancelled: ["raid.cancelled", "raid.cancelled"],
};

const COUNTDOWN_OVER = "countdownOver";

async function pending(world: World, at: number): Promise<RaidDoc> {
  const live = () => world.stream({ isLive: true });
  const [source, target] = [await live(), await live()];
  setClock(world, at);
  return world.raids.begin({ source, target, message: null, by: source.userId });
}

const waiting: Subject["waiting"] = {
  countdown: {
    event: COUNTDOWN_OVER,
    make: (world, dues) =>
      eachOf(dues, async (due) => {
        const begun = due - RAID_COUNTDOWN_MS;
        const { _id } = await pending(world, begun);
        const timers = await timersIn(world.mongo.db).ofActor(`raid:${_id}`);
        const hold = timers.find(({ event }) => event.type !== COUNTDOWN_OVER);
        if (!hold) throw new Error("a raid is held at first");
        setClock(world, begun + RAID_HOLD_MS);
        await world.host.fire(hold);
      }),
  },

  arrival: {
    event: "xstate.after.arrival.raid.active.arriving",
    make: (world, dues) =>
      eachOf(dues, async (due) => {
        const started = due - RAID_ARRIVAL_MS;
        const { _id, createdBy } = await pending(world, started - RAID_HOLD_MS);
        setClock(world, started);
        await world.raids.start(_id, createdBy);
      }),
  },
};

export const raidSubject: Subject = {
  machine: "raid",
  driver,
  timers: {
    "pending.held": ["countdown", "raid.pending.held"],
    "pending.ready": ["countdown"],
    "active.arriving": ["raid.active.arriving"],
    "active.settling": ["settle"],
  },
  agrees: expectDocument,
  announces: ({ after }) => NEWS[after] ?? [],
  ofChannel: (db, { streamId }) =>
    db.collection<RaidDoc>("raids").distinct("_id", { sourceStreamId: streamId }),
  async expectEnd(db, id) {
    const doc = await db.collection<RaidDoc>("raids").findOne({ _id: id });
    expect(doc?.status, "how a raid ended").oneOf(["completed", "cancelled"]);
    await expectSoundLedger(db, doc?.targetUserId);
  },
  waiting,
};
