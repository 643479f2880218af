import { setTimeout as pause } from "node:timers/promises";
import type { LivecoreClient } from "../../clients/typescript/src/index.ts";
import { atOnce } from "./at-once.ts";
import { type Account, type Creator, nginxRtmpFields } from "./cast.ts";
import { type SendTimes, say, type Tally, type Viewer } from "./crowd.ts";
import { chatLine } from "./random.ts";
import type { createProgress } from "./report.ts";

type Progress = ReturnType<typeof createProgress>;

/** What every act of the evening works with. */
export type Stage = {
  /** Somebody without an account. */
  visitor: LivecoreClient;
  systemKey: string;
  creator: Creator;
  viewers: Viewer[];
  tally: Tally;
  sentAt: SendTimes;
  random: () => number;
  rate: number;
  progress: Progress;
};

/** The publisher's id at the RTMP server; publish_done names it again. */
const CLIENT_ID = 4711;
const GRACE_MS = 90_000;

export const signedIn = (viewers: Viewer[]) =>
  viewers.flatMap((viewer) => (viewer.account ? [{ ...viewer, account: viewer.account }] : []));

type Backstage = Pick<Stage, "visitor" | "systemKey" | "creator">;

async function hook({ visitor, systemKey, creator }: Backstage, isPublishing: boolean): Promise<void> {
  const headers = { "x-system-key": systemKey };
  const fields = nginxRtmpFields(creator.streamKey, CLIENT_ID);
  if (isPublishing) await visitor.call("ingestPublish", { headers, body: { ...fields, call: "publish" } });
  else await visitor.call("ingestPublishDone", { headers, body: { ...fields, call: "publish_done" } });
}

async function untilLive(
  { visitor, creator, progress }: Pick<Stage, "visitor" | "creator" | "progress">,
  isLive: boolean,
  withinMs: number,
) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const stream = await visitor.call("getStream", { path: { stream_id: creator.streamId } });
    if (stream.is_live === isLive) return;
    const leftMs = deadline - performance.now();
    if (leftMs < 0) throw new Error(`The stream did not go ${isLive ? "live" : "offline"} in time.`);
    progress.show(
      `waiting for the stream to go ${isLive ? "live" : "offline"}: ${Math.ceil(leftMs / 1_000)} s at most`,
    );
    await pause(500);
  }
}

export async function goLive(stage: Backstage & Pick<Stage, "progress">): Promise<void> {
  await hook(stage, true);
  await untilLive(stage, true, 20_000);
  stage.progress.done("the publish hook arrived and the stream is live");
}

/** Everyone chats at `rate` lines a second in all, for `seconds`; `halfway` happens in the middle of it. */
export async function chat(
  stage: Stage,
  seconds: number,
  halfway: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { random, rate, tally, sentAt, progress } = stage;
  const chatters = signedIn(stage.viewers);
  const sends: Promise<unknown>[] = [];
  const total = rate * seconds;
  const started = performance.now();
  for (let serial = 0; serial < total; serial++) {
    const dueInMs = started + (serial * 1_000) / rate - performance.now();
    if (dueInMs > 1) await pause(dueInMs);
    if (serial === Math.floor(total / 2)) sends.push(halfway());
    const chatter = chatters[Math.floor(random() * chatters.length)];
    if (chatter) sends.push(say(chatter, chatLine(random, serial), tally, sentAt));
    if (serial % 10 === 0) {
      progress.show(`chatting: ${serial}/${total} sent, ${tally.acknowledged.size} acknowledged`);
    }
  }
  await Promise.all(sends);
  progress.done(`${total} lines said, ${tally.acknowledged.size} acknowledged, ${tally.resumes} resumes`);
}

/** Slow mode of 30 s: the first line of each chatter passes, the second is refused. */
export async function slowMode(stage: Stage): Promise<void> {
  const { creator, tally, sentAt, random, progress } = stage;
  const path = { stream_id: creator.streamId };
  const setSlow = (slow: number | null) =>
    creator.client.call("updateChatSettings", { path, body: { slow } });
  await setSlow(30);
  const hasty = signedIn(stage.viewers).slice(0, 20);
  const before = tally.refused.get("slow_mode") ?? 0;
  await atOnce(5, hasty, async (viewer, i) => {
    await say(viewer, chatLine(random, 1_000_000 + i), tally, sentAt);
    await say(viewer, chatLine(random, 2_000_000 + i), tally, sentAt);
  });
  await setSlow(null);
  progress.done(
    `slow mode refused ${(tally.refused.get("slow_mode") ?? 0) - before} of ${2 * hasty.length} lines`,
  );
}

export async function followAll(stage: Stage): Promise<void> {
  const followers = signedIn(stage.viewers);
  let done = 0;
  await atOnce(8, followers, async ({ account }) => {
    await account.client.call("followUser", { path: { user_id: stage.creator.userId } });
    stage.progress.show(`following: ${++done}/${followers.length}`);
  });
  stage.progress.done(`${followers.length} viewers follow, 300 points each`);
}

export type Betting = { predictionId: string; staked: number; bettors: Account[]; lateCode: string };

/** The creator asks, every signed-in viewer bets; it locks, a late bet is refused, it resolves and pays out. */
export async function predict(stage: Stage): Promise<Betting> {
  const { creator, random, progress } = stage;
  const { id, outcomes } = await creator.client.call("createPrediction", {
    path: { stream_id: creator.streamId },
    body: {
      title: "Will the run beat the record?",
      outcomes: [{ title: "Yes", color: "#22AA55" }, { title: "No" }, { title: "Only just" }],
      duration_seconds: 300,
    },
  });
  const path = { prediction_id: id };
  const [winner] = outcomes;
  if (!winner) throw new Error("The prediction has no outcomes.");
  const bettors = signedIn(stage.viewers);
  let staked = 0;
  await atOnce(16, bettors, async ({ account }) => {
    const amount = 10 + Math.floor(random() * 290);
    const outcome = outcomes[Math.floor(random() * outcomes.length)] ?? winner;
    await account.client.call("placeBet", { path, body: { outcome_id: outcome.id, amount } });
    staked += amount;
    progress.show(`betting: ${staked} points staked`);
  });
  await creator.client.call("lockPrediction", { path });
  const [first] = bettors;
  const lateBet = { path, body: { outcome_id: winner.id, amount: 1 } };
  const late = await first?.account.client.attempt("placeBet", lateBet);
  await creator.client.call("resolvePrediction", { path, body: { outcome_id: winner.id } });
  const payouts = await untilPaid(
    stage,
    id,
    bettors.map(({ account }) => account),
  );
  progress.done(`${staked} points staked by ${bettors.length}, ${payouts} paid out`);
  return {
    predictionId: id,
    staked,
    bettors: bettors.map(({ account }) => account),
    lateCode: late && !late.ok ? late.error.code : "-",
  };
}

/** Resolves with the sum paid, once every bet says what it brought. */
async function untilPaid({ progress }: Stage, id: string, bettors: Account[]): Promise<number> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const bets = await atOnce(16, bettors, ({ client }) =>
      client.call("getMyBet", { path: { prediction_id: id } }),
    );
    const open = bets.filter(({ payout }) => payout === null);
    if (open.length === 0) return bets.reduce((sum, { payout }) => sum + (payout ?? 0), 0);
    if (performance.now() > deadline) throw new Error(`${open.length} bets are still unsettled.`);
    progress.show(`paying out: ${open.length} bets to go`);
    await pause(250);
  }
}

/** The publisher goes away; the broadcast ends after its grace. */
export async function goOffline(stage: Stage): Promise<void> {
  await hook(stage, false);
  await untilLive(stage, false, GRACE_MS + 15_000);
  stage.progress.done("publish-done arrived, and after its grace the broadcast ended");
}
