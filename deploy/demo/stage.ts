import { setTimeout as pause } from "node:timers/promises";
import { atOnce } from "./at-once.ts";
import { type Account, type Creator, nginxRtmpForm } from "./cast.ts";
import { type SendTimes, say, type Tally, type Viewer } from "./crowd.ts";
import { chatLine } from "./random.ts";
import type { createProgress } from "./report.ts";
import { integer, list, type Rest, text } from "./rest.ts";

export type Progress = ReturnType<typeof createProgress>;

/** What every act of the evening works with. */
export type Stage = {
  rest: Rest;
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

async function hook(stage: Pick<Stage, "rest" | "systemKey" | "creator">, call: "publish" | "publish_done") {
  const path = call === "publish" ? "publish" : "publish-done";
  await stage.rest.ok("POST", `/v1/webhooks/ingest/${path}`, {
    form: nginxRtmpForm(call, stage.creator.streamKey, CLIENT_ID),
    headers: { "x-system-key": stage.systemKey },
  });
}

async function untilLive(
  stage: Pick<Stage, "rest" | "creator" | "progress">,
  isLive: boolean,
  withinMs: number,
) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const stream = await stage.rest.ok("GET", `/v1/streams/${stage.creator.streamId}`);
    if (typeof stream === "object" && stream !== null && Reflect.get(stream, "is_live") === isLive) return;
    const leftMs = deadline - performance.now();
    if (leftMs < 0) throw new Error(`The stream did not go ${isLive ? "live" : "offline"} in time.`);
    stage.progress.show(
      `waiting for the stream to go ${isLive ? "live" : "offline"}: ${Math.ceil(leftMs / 1_000)} s at most`,
    );
    await pause(500);
  }
}

export async function goLive(
  stage: Pick<Stage, "rest" | "systemKey" | "creator" | "progress">,
): Promise<void> {
  await hook(stage, "publish");
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
  const { rest, creator, tally, sentAt, random, progress } = stage;
  const settings = (json: object) =>
    rest.ok("PATCH", `/v1/chat/${creator.streamId}/settings`, { token: creator.token, json });
  await settings({ slow: 30 });
  const hasty = signedIn(stage.viewers).slice(0, 20);
  const before = tally.refused.get("slow_mode") ?? 0;
  await atOnce(5, hasty, async (viewer, i) => {
    await say(viewer, chatLine(random, 1_000_000 + i), tally, sentAt);
    await say(viewer, chatLine(random, 2_000_000 + i), tally, sentAt);
  });
  await settings({ slow: null });
  progress.done(
    `slow mode refused ${(tally.refused.get("slow_mode") ?? 0) - before} of ${2 * hasty.length} lines`,
  );
}

export async function followAll(stage: Stage): Promise<void> {
  const fans = signedIn(stage.viewers);
  let done = 0;
  await atOnce(8, fans, async ({ account }) => {
    await stage.rest.ok("PUT", `/v1/follows/${stage.creator.userId}`, { token: account.token });
    stage.progress.show(`following: ${++done}/${fans.length}`);
  });
  stage.progress.done(`${fans.length} viewers follow, 300 points each`);
}

export type Betting = { predictionId: string; staked: number; bettors: Account[]; lateCode: string };

/** The creator asks, every signed-in viewer bets; it locks, a late bet is refused, it resolves and pays out. */
export async function predict(stage: Stage): Promise<Betting> {
  const { rest, creator, random, progress } = stage;
  const asked = await rest.ok("POST", `/v1/streams/${creator.streamId}/predictions`, {
    token: creator.token,
    json: {
      title: "Will the run beat the record?",
      outcomes: [{ title: "Yes", color: "#22AA55" }, { title: "No" }, { title: "Only just" }],
      duration_seconds: 300,
    },
  });
  const id = text(asked, "id");
  const outcomes = list(asked, "outcomes").map((outcome) => text(outcome, "id"));
  const bettors = signedIn(stage.viewers);
  const bet = (account: Account, amount: number) =>
    rest.call("POST", `/v1/predictions/${id}/bets`, {
      token: account.token,
      json: { outcome_id: outcomes[Math.floor(random() * outcomes.length)], amount },
      headers: { "idempotency-key": `demo-${account.userId}` },
    });
  let staked = 0;
  await atOnce(16, bettors, async ({ account }) => {
    const amount = 10 + Math.floor(random() * 290);
    const answer = await bet(account, amount);
    if (answer.status >= 300) throw new Error(`A bet was refused: ${JSON.stringify(answer.body)}`);
    staked += amount;
    progress.show(`betting: ${staked} points staked`);
  });
  const decide = (path: string, json?: object) =>
    rest.ok("POST", `/v1/predictions/${id}/${path}`, { token: creator.token, ...(json ? { json } : {}) });
  await decide("lock");
  const [first] = bettors;
  const late = first
    ? await rest.call("POST", `/v1/predictions/${id}/bets`, {
        token: first.account.token,
        json: { outcome_id: outcomes[0], amount: 1 },
      })
    : null;
  await decide("resolve", { outcome_id: outcomes[0] });
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
    lateCode: late ? text(late.body, "code") : "-",
  };
}

/** Resolves with the sum paid, once every slip says what it brought. */
async function untilPaid({ rest, progress }: Stage, id: string, bettors: Account[]): Promise<number> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const slips = await atOnce(16, bettors, (account) =>
      rest.ok("GET", `/v1/predictions/${id}/bets/me`, { token: account.token }),
    );
    const open = slips.filter((slip) => Reflect.get(Object(slip), "payout") === null);
    if (open.length === 0) return slips.reduce<number>((sum, slip) => sum + integer(slip, "payout"), 0);
    if (performance.now() > deadline) throw new Error(`${open.length} slips are still unsettled.`);
    progress.show(`paying out: ${open.length} slips to go`);
    await pause(250);
  }
}

/** The publisher goes away; the broadcast ends after its grace. */
export async function goOffline(stage: Stage): Promise<void> {
  await hook(stage, "publish_done");
  await untilLive(stage, false, GRACE_MS + 15_000);
  stage.progress.done("publish-done arrived, and after its grace the broadcast ended");
}
