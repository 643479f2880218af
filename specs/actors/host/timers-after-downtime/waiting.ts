import { SETTLE_TAKEOVER_MS } from "../../../../actors/host/settling.ts";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { RESOLUTION_TIMEOUT_MS } from "../../../../actors/points/prediction/machine.ts";
import { newId } from "../../../../base/ids.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { timersIn } from "../../../../store/mongo/host/timers.ts";
import {
  RAID_ARRIVAL_MS,
  RAID_COUNTDOWN_MS,
  RAID_HOLD_MS,
  type RaidDoc,
} from "../../../../store/mongo/raids/raids.ts";
import { CLAIM_MS } from "../../../../store/mongo/safety/reports.ts";
import type { World } from "../world.ts";

/** Some kinds of waiting, each with the event of its timer as in the history. */
export const KINDS = {
  betting: "xstate.after.betting.prediction.active",
  resolution: "xstate.after.forgotten.prediction.locked",
  firstPicture: "xstate.after.firstPicture.live-stream.starting",
  grace: "xstate.after.grace.live-stream.interrupted",
  countdown: "countdownOver",
  arrival: "xstate.after.arrival.raid.active.arriving",
  claim: "xstate.after.claimOver.report.reviewing",
  /** A prediction whose process died while it refunded the stakes. */
  settle: "settle",
} as const;

export type Kind = keyof typeof KINDS;

/** How long before `due` the machine's wait starts, ms. */
const WAIT_MS = {
  betting: 60_000,
  resolution: RESOLUTION_TIMEOUT_MS,
  firstPicture: FIRST_PICTURE_MS,
  grace: BROADCAST_GRACE_MS,
  countdown: RAID_COUNTDOWN_MS,
  arrival: RAID_ARRIVAL_MS,
  claim: CLAIM_MS,
  settle: SETTLE_TAKEOVER_MS,
};
const AT_ONCE = 40;

/** Makes actors of one kind that wait until the given times. It turns the world's clock back for that. */
export async function makeWaiting(world: World, kind: Kind, dues: number[]): Promise<void> {
  await MAKERS[kind](world, dues);
}

const MAKERS: Record<Kind, (world: World, dues: number[]) => Promise<void>> = {
  betting: (world, dues) =>
    eachOf(dues, async (due) => {
      const stream = await world.stream();
      setClock(world, due - WAIT_MS.betting);
      await open(world, stream);
    }),

  resolution: (world, dues) =>
    eachOf(dues, async (due) => {
      const stream = await world.stream();
      // While bets are accepted: a lock after that would be too late.
      setClock(world, due - WAIT_MS.resolution);
      const { _id } = await open(world, stream);
      setClock(world, due - WAIT_MS.resolution);
      await world.predictions.lock(_id, newId());
    }),

  firstPicture: (world, dues) =>
    eachOf(dues, async (due) => {
      const stream = await world.stream();
      setClock(world, due - WAIT_MS.firstPicture);
      await world.broadcasts.publish({ stream, clientId: "1" });
    }),

  async grace(world, dues) {
    const streams: { stream: StreamDoc; due: number }[] = [];
    setClock(world, Date.now());
    await eachOf(dues, async (due) => {
      const stream = await world.stream();
      await world.broadcasts.publish({ stream, clientId: "1" });
      streams.push({ stream, due });
    });
    await world.pass(WAIT_MS.firstPicture);
    await eachOf(streams, async ({ stream, due }) => {
      setClock(world, due - WAIT_MS.grace);
      await world.broadcasts.publishDone({ stream, clientId: "1" });
    });
  },

  countdown: (world, dues) =>
    eachOf(dues, async (due) => {
      const begun = due - WAIT_MS.countdown;
      const { _id } = await raid(world, begun);
      const timers = await timersIn(world.mongo.db).ofActor(`raid:${_id}`);
      const hold = timers.find(({ event }) => event.type !== KINDS.countdown);
      if (!hold) throw new Error("a raid is held at first");
      setClock(world, begun + RAID_HOLD_MS);
      await world.host.fire(hold);
    }),

  arrival: (world, dues) =>
    eachOf(dues, async (due) => {
      const started = due - WAIT_MS.arrival;
      const { _id, createdBy } = await raid(world, started - RAID_HOLD_MS);
      setClock(world, started);
      await world.raids.start(_id, createdBy);
    }),

  claim: (world, dues) =>
    eachOf(dues, async (due) => {
      const { _id: targetId } = await world.stream();
      const about = { targetType: "stream", targetId, reasonCode: "spam", details: null } as const;
      setClock(world, due - WAIT_MS.claim);
      const { caseId } = await world.reports.report({ reporterId: newId(), ...about });
      setClock(world, due - WAIT_MS.claim);
      await world.reports.claim({ caseId, staffId: newId() });
    }),

  async settle(world, dues) {
    const open_: { id: string; due: number }[] = [];
    await eachOf(dues, async (due) => {
      const stream = await world.stream();
      const [userId = ""] = await world.viewers(stream, 1, 100);
      setClock(world, due - WAIT_MS.settle);
      const { _id: id, outcomes } = await open(world, stream);
      setClock(world, due - WAIT_MS.settle);
      await world.predictions.bet({ predictionId: id, outcomeId: outcomes[0]?.id ?? "", amount: 60, userId });
      open_.push({ id, due });
    });
    // Stopped during the cancellations, it finishes them and leaves the refunds to others.
    const dying = world.rival();
    const cancelled = open_.map(({ id, due }) => {
      setClock(world, due - WAIT_MS.settle);
      return dying.predictions.cancel(id, newId());
    });
    await dying.stop();
    await Promise.all(cancelled);
  },
};

/** For what happens next in the same turn of the event loop. */
const setClock = (world: World, at: number) => world.move(at - world.clock.now());

const open = (world: World, stream: StreamDoc) =>
  world.predictions.open({
    stream,
    title: "?",
    outcomes: [{ title: "yes" }, { title: "no" }],
    durationSeconds: WAIT_MS.betting / 1_000,
    by: stream.userId,
  });

async function raid(world: World, at: number): Promise<RaidDoc> {
  const live = () => world.stream({ isLive: true });
  const [source, target] = [await live(), await live()];
  setClock(world, at);
  return world.raids.begin({ source, target, message: null, by: source.userId });
}

async function eachOf<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
