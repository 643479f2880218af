import type { LiveClient, Subscription } from "../../../clients/typescript/src/index.ts";
import { RAID_ARRIVAL_MS, RAID_HOLD_MS } from "../../../store/mongo/raids/raids.ts";
import { atOnce } from "./at-once.ts";
import type { Creator } from "./cast.ts";
import { history } from "./history.ts";
import { statementOf, sumOf } from "./points.ts";
import { type Check, check } from "./report.ts";
import { type SignedIn, type Stage, signedIn, until } from "./stage.ts";

const ARRIVAL_POINTS = 250;
const TABS = 5;

type Tab = { live: LiveClient; room: Subscription<`chat:${string}`> };

export type Raiding = { id: string; target: Creator; members: SignedIn[] };
type Raided = Raiding & { left: number; tabs: number; movedTabs: number };

/** Announces a raid. All signed-in viewers are members by default; every fourth leaves it. */
export async function announceRaid(stage: Stage, target: Creator): Promise<Raiding> {
  const body = { target_user_id: target.userId, message: "Say hello from us!" };
  const { id } = await stage.creator.client.call("createRaid", { body });
  const all = signedIn(stage.viewers);
  const members = all.filter((_, i) => i % 4 !== 3);
  const others = all.filter((_, i) => i % 4 === 3);
  for (const { client } of members) client.followsRaids = true;
  await atOnce(8, others, ({ account }) => account.client.call("leaveRaid", { path: { raid_id: id } }));
  return { id, target, members };
}

/** Starts the raid as soon as that is allowed; resolves when all members have arrived and sent a greeting. */
export async function letRaidGo(stage: Stage, raiding: Raiding): Promise<Raided> {
  const { target, members } = raiding;
  const tabs = members.slice(0, TABS).map((member) => openTab(stage, member));
  try {
    await until(stage, () => tabs.every(({ room }) => room.isLive) || null, {
      waitingFor: "second tabs to get into the room",
      withinMs: 15_000,
      late: () => "A second tab couldn't get into the room.",
    });
    const left = await start(stage, raiding);
    const begun = performance.now();
    const isThere = ({ client }: SignedIn) => client.isLive && client.streamId === target.streamId;
    const isMoved = ({ room }: Tab) => room.isLive && room.topic === `chat:${target.streamId}`;
    const missing = () => [...members.map(isThere), ...tabs.map(isMoved)].filter((there) => !there).length;
    await until(stage, () => missing() === 0 || null, {
      waitingFor: () => `${missing()} sockets to arrive with the raid`,
      withinMs: 30_000,
      everyMs: 50,
      late: () => `${missing()} sockets didn't arrive with the raid.`,
    });
    const tookS = ((performance.now() - begun) / 1_000).toFixed(1);
    await atOnce(8, members, ({ client }, i) => client.say(`hello from ${stage.creator.username} #${i}`));
    stage.progress.done(
      `${members.length} viewers raided ${target.username} within ${tookS} s; ${tabs.length} second tabs were moved`,
    );
    return { ...raiding, left, tabs: tabs.length, movedTabs: tabs.filter(isMoved).length };
  } finally {
    for (const { live } of tabs) live.close();
  }
}

/** The viewers' room clients reconnect to the other room by themselves; the service moves the subscription of this socket. */
function openTab({ creator }: Stage, { account }: SignedIn): Tab {
  const live = account.client.live();
  return { live, room: live.subscribe(`chat:${creator.streamId}`, undefined, { followRaids: true }) };
}

/** Resolves with the number of members that left with the raid. */
async function start(stage: Stage, { id }: Raiding): Promise<number> {
  const raid = await until(
    stage,
    async () => {
      const started = await stage.creator.client.attempt("startRaid", { path: { raid_id: id } });
      if (started.ok) return started.data;
      if (started.error.code !== "invalid_state") throw started.error;
      return null;
    },
    {
      waitingFor: `the raid to start: its viewers have ${RAID_HOLD_MS / 1_000} s to leave it`,
      withinMs: RAID_HOLD_MS + 10_000,
      everyMs: 500,
      late: () => "The raid couldn't be started.",
    },
  );
  return raid.viewer_count;
}

/** Members who haven't arrived within a minute don't count any more; then the number is final. */
export async function untilRaidIsOver(stage: Stage, { id, target }: Raiding): Promise<void> {
  await until(stage, async () => ((await raidOf(target, id)).status === "completed" ? true : null), {
    waitingFor: `the raid to be over: its viewers have ${RAID_ARRIVAL_MS / 1_000} s to arrive`,
    withinMs: RAID_ARRIVAL_MS + 15_000,
    everyMs: 500,
    late: () => "The raid isn't over.",
  });
}

async function raidOf({ client }: Creator, id: string) {
  const { items } = await client.call("listMyRaids");
  const raid = items.find((one) => one.id === id);
  if (!raid) throw new Error("The raid isn't among the target's.");
  return raid;
}

export async function auditRaid(stage: Stage, raided: Raided): Promise<Check[]> {
  const { id, target, members, left, tabs, movedTabs } = raided;
  const raid = await raidOf(target, id);
  const statements = await atOnce(8, signedIn(stage.viewers), ({ account }) =>
    statementOf(account, target.userId),
  );
  const points = statements.reduce((sum, { entries }) => sum + sumOf(entries, "raid"), 0);
  const messages = await history(stage.visitor, target.streamId);
  return [
    check("viewers that left with the raid", members.length, left),
    check("viewers that arrived with it", members.length, raid.viewer_count),
    check("second tabs moved along", tabs, movedTabs),
    check("points for arriving", ARRIVAL_POINTS * members.length, points),
    check("greetings in the other room's history", members.length, messages.length),
  ];
}
