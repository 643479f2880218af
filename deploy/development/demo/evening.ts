import { atOnce } from "./at-once.ts";
import { auditChat, figures } from "./audit.ts";
import { endByNewKey, goLive, goOffline } from "./broadcast.ts";
import { type Account, enrol, enrolCreator, enrolViewer, newClient, signInWithCode } from "./cast.ts";
import { auditBan, reportAndBan } from "./chat-ban.ts";
import { beat, joinRoom, newTally } from "./crowd.ts";
import { followAll } from "./follows.ts";
import type { Aftermath } from "./kill.ts";
import { auditPayments, pay } from "./payments.ts";
import { awaitVideo, lookAtPicture } from "./picture.ts";
import { auditPoints, totalPoints } from "./points.ts";
import { predict } from "./prediction.ts";
import { publishingByFfmpeg, publishingByHooks } from "./publishing.ts";
import { announceRaid, auditRaid, letRaidGo, type Raiding, untilRaidIsOver } from "./raid.ts";
import { seededRandom } from "./random.ts";
import type { Check, createProgress } from "./report.ts";
import { auditRewards, redeem } from "./rewards.ts";
import { type Stage, until } from "./stage.ts";
import { chat, slowMode } from "./talk.ts";

const BEAT_MS = 25_000;

type Evening = {
  baseUrl: string;
  /** Below it are the channels' pages. */
  watchUrl: string;
  ingestKey: string;
  /** Path of ffmpeg, which publishes a real picture; null: only the hooks of an RTMP server are sent. */
  ffmpeg: string | null;
  viewers: number;
  rate: number;
  seed: number;
  chatSeconds: number;
  progress: ReturnType<typeof createProgress>;
  pass: Stage["pass"];
  /** Runs in the middle of the chat. */
  halfway: ((stage: Stage) => Promise<Aftermath>) | null;
  /**
   * Makes an account staff, as only the operator can, and returns what generates its sign-in codes; null when somebody else
   * runs the service.
   */
  makeStaff: ((username: string) => Promise<() => string>) | null;
  /** Whether checkouts lead to the development page instead of a real payment platform. */
  hasCheckoutPage: boolean;
};

/** Runs the whole demo and returns its checks and its timings. */
export async function haveEvening(evening: Evening): Promise<{ checks: Check[]; figures: string }> {
  const { baseUrl, watchUrl, ingestKey, progress, pass, ffmpeg } = evening;
  const run = Date.now().toString(36);
  const visitor = newClient(baseUrl);
  const [creator, target] = await Promise.all([
    enrolCreator(baseUrl, `creator_${run}`, { name: "One evening live", publisherId: 4711 }),
    enrolCreator(baseUrl, `friend_${run}`, { name: "Later the same evening", publisherId: 4712 }),
  ]);
  progress.done(`${creator.username} and ${target.username} registered, signed in and set their channels up`);
  const publishing =
    ffmpeg === null
      ? publishingByHooks({ visitor, ingestKey })
      : publishingByFfmpeg(ffmpeg, (line) => progress.note(line));
  const stage: Stage = {
    visitor,
    publishing,
    creator,
    viewers: [],
    tally: newTally(),
    sentAt: new Map(),
    random: seededRandom(evening.seed),
    rate: evening.rate,
    progress,
    pass,
  };

  let beating: Promise<unknown> = Promise.resolve();
  const heartbeats = setInterval(() => {
    beating = atOnce(8, stage.viewers, (viewer) => beat(visitor, viewer)).catch((err: unknown) =>
      progress.note(`a heartbeat failed: ${String(err)}`),
    );
  }, BEAT_MS);
  try {
    await Promise.all([goLive(stage, creator), goLive(stage, target)]);
    progress.done("the publish hooks arrived and both streams are live");
    progress.note(`watch at ${watchUrl}/${creator.username}`);
    const [staff] = await Promise.all([hireStaff(evening, run), arrive(evening, stage, run)]);
    await followAll(stage);
    const before = await totalPoints(stage);
    const aftermath = await chatThrough(evening, stage);
    await slowMode(stage);
    const paying = evening.hasCheckoutPage ? await pay(stage) : null;
    const redeeming = await redeem(stage);
    const betting = await predict(stage);
    const raiding = await announceRaid(stage, target);
    const banning = staff ? await reportAndBan(stage, staff) : null;
    const raided = await letRaidGo(stage, raiding);
    const picture = ffmpeg === null ? [] : await lookAtPicture(stage);
    await Promise.all([endOf(stage), endOfTarget(stage, raiding)]);
    const video = ffmpeg === null ? [] : await awaitVideo(stage);
    clearInterval(heartbeats);
    await beating;

    const checks = [
      ...(await auditChat(stage, aftermath)),
      ...(await auditPoints(stage, { before, betting, redeeming })),
      ...(await auditRewards(stage, redeeming)),
      ...(paying ? await auditPayments(stage, paying) : []),
      ...(banning ? await auditBan(stage, banning) : []),
      ...(await auditRaid(stage, raided)),
      ...picture,
      ...video,
    ];
    return { checks, figures: figures(stage, aftermath) };
  } finally {
    clearInterval(heartbeats);
    for (const { client } of stage.viewers) client.close();
    await publishing.stop();
  }
}

async function arrive(evening: Evening, stage: Stage, run: string): Promise<void> {
  const { baseUrl, progress } = evening;
  const { visitor, creator } = stage;
  const { streamId } = creator;
  const socketUrl = baseUrl.replace(/^http/, "ws");
  const serials = Array.from({ length: evening.viewers }, (_, serial) => serial);
  let arrived = 0;
  await atOnce(8, serials, async (serial) => {
    // Every fifth viewer has no account; the first two always have one, so that somebody chats.
    const account = serial >= 2 && serial % 5 === 4 ? null : await enrolViewer(baseUrl, `v${serial}_${run}`);
    const viewer = joinRoom({ ...stage, socketUrl, streamId, account, serial });
    stage.viewers.push(viewer);
    await beat(visitor, viewer);
    progress.show(`arriving: ${++arrived}/${evening.viewers}`);
  });
  const waiting = () => stage.viewers.filter(({ client }) => !client.isLive).length;
  await until(stage, () => waiting() === 0 || null, {
    waitingFor: () => `${waiting()} viewers to get into the room`,
    withinMs: 30_000,
    late: () => `${waiting()} viewers couldn't get into the room.`,
  });
  const viewers = await visitor.call("getViewerCount", { path: { stream_id: streamId } });
  progress.done(`${evening.viewers} viewers in the room; REST counts ${JSON.stringify(viewers)}`);
}

async function hireStaff({ baseUrl, makeStaff, progress }: Evening, run: string): Promise<Account | null> {
  if (!makeStaff) return null;
  const staff = await enrol(baseUrl, `staff_${run}`);
  await signInWithCode(staff, await makeStaff(staff.username));
  progress.done(`${staff.username} is staff, by npm run staff, and signed in with two factors`);
  return staff;
}

async function chatThrough({ chatSeconds, halfway }: Evening, stage: Stage): Promise<Aftermath | null> {
  let aftermath: Aftermath | null = null;
  await chat(stage, chatSeconds, async () => {
    aftermath = (await halfway?.(stage)) ?? null;
  });
  return aftermath;
}

async function endOf(stage: Stage): Promise<void> {
  await goOffline(stage, stage.creator);
  stage.progress.done("publish-done arrived, and after its grace the broadcast ended");
}

async function endOfTarget(stage: Stage, raiding: Raiding): Promise<void> {
  await untilRaidIsOver(stage, raiding);
  await endByNewKey(stage, raiding.target);
  stage.progress.done("the raid is completed, and a new stream key ended the other broadcast");
}
