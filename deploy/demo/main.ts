import { isProduction, loadSettings } from "../config/config.ts";
import { processEnvironment } from "../config/environment.ts";
import { homeFolder } from "../config/project.ts";
import { SETTINGS } from "../config/settings.ts";
import { developmentSecrets } from "../home/secrets.ts";
import { atOnce } from "./at-once.ts";
import { audit, figures, totalPoints } from "./audit.ts";
import { enrolCreator, enrolViewer, newClient } from "./cast.ts";
import { beat, joinRoom, newTally } from "./crowd.ts";
import { type Aftermath, findVictim, killWorker } from "./kill.ts";
import { parseOptions } from "./options.ts";
import { seededRandom } from "./random.ts";
import { createProgress, renderTable } from "./report.ts";
import { chat, followAll, goLive, goOffline, predict, type Stage, slowMode } from "./stage.ts";

const BEAT_MS = 25_000;
const CHAT_SECONDS = 20;
/** The longest that an evening may take, so that it ends by itself whatever hangs. */
const DEADLINE_MS = 15 * 60_000;

async function evening(): Promise<boolean> {
  const options = parseOptions(process.argv.slice(2));
  const settings = sameSettings();
  const baseUrl = options.url ?? `http://127.0.0.1:${settings.http.port}`;
  const socketUrl = baseUrl.replace(/^http/, "ws");
  const visitor = newClient(baseUrl);
  const progress = createProgress(process.stdout);
  if (options.kill) findVictim(baseUrl, settings.home);
  await visitor.call("getHealth").catch((err: unknown) => {
    throw new Error(`Nobody answers at ${baseUrl}: start the service with \`npm start\` first.`, {
      cause: err,
    });
  });
  console.log(
    `One evening live at ${baseUrl}: ${options.viewers} viewers, ${options.rate} lines/s, seed ${options.seed}`,
  );

  const random = seededRandom(options.seed);
  const run = Date.now().toString(36);
  const creator = await enrolCreator(baseUrl, `creator_${run}`);
  progress.done(`${creator.username} registered, signed in and set the channel up`);
  const stage: Stage = {
    visitor,
    systemKey: settings.secrets.systemKey.reveal(),
    creator,
    viewers: [],
    tally: newTally(),
    sentAt: new Map(),
    random,
    rate: options.rate,
    progress,
  };
  await goLive(stage);

  let arrived = 0;
  const serials = Array.from({ length: options.viewers }, (_, serial) => serial);
  const beats = () => atOnce(8, stage.viewers, (viewer) => beat(visitor, creator.streamId, viewer));
  let beating: Promise<unknown> = Promise.resolve();
  const heartbeats = setInterval(() => {
    beating = beats().catch((err: unknown) => progress.done(`a heartbeat failed: ${String(err)}`));
  }, BEAT_MS);
  try {
    await atOnce(8, serials, async (serial) => {
      // Every fifth comes without an account; the first two never do, so that somebody chats.
      const account =
        serial >= 2 && serial % 5 === 4 ? null : await enrolViewer(baseUrl, `v${serial}_${run}`);
      const { streamId } = creator;
      const viewer = joinRoom({ ...stage, socketUrl, streamId, account, serial });
      stage.viewers.push(viewer);
      await beat(visitor, streamId, viewer);
      progress.show(`arriving: ${++arrived}/${options.viewers}`);
    });
    await untilAllLive(stage);
    const viewers = await visitor.call("getViewerCount", { path: { stream_id: creator.streamId } });
    progress.done(`${options.viewers} viewers in the room; REST counts ${JSON.stringify(viewers)}`);

    await followAll(stage);
    let aftermath: Aftermath | null = null;
    await chat(stage, CHAT_SECONDS, async () => {
      if (options.kill) aftermath = await killWorker(stage, findVictim(baseUrl, settings.home));
    });
    await slowMode(stage);
    const before = await totalPoints(stage);
    const betting = await predict(stage);
    await goOffline(stage);
    clearInterval(heartbeats);
    await beating;

    const checks = await audit(stage, { betting, pointsBefore: before, aftermath });
    console.log(`\n${renderTable(checks)}\n\n${figures(stage, aftermath)}`);
    return checks.every((one) => one.ok);
  } finally {
    clearInterval(heartbeats);
    for (const { client } of stage.viewers) client.close();
  }
}

/** The settings that a service started from here has, its generated secrets included. */
function sameSettings() {
  const env = processEnvironment();
  const home = homeFolder(env[SETTINGS.home.name] || SETTINGS.home.fallback || "");
  return loadSettings(isProduction(env) ? env : { ...env, ...developmentSecrets(home, env) });
}

async function untilAllLive({ viewers, progress }: Stage): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const waiting = viewers.filter(({ client }) => !client.isLive).length;
    if (waiting === 0) return;
    if (performance.now() > deadline) throw new Error(`${waiting} viewers couldn't get into the room.`);
    progress.show(`connecting: ${waiting} to go`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const overdue = setTimeout(() => {
  console.error("\nThe evening took longer than 15 minutes; something hangs.");
  process.exit(1);
}, DEADLINE_MS);
overdue.unref();

evening().then(
  (ok) => {
    console.log(ok ? "\nIt all adds up." : "\nSomething doesn't add up: see ✗ above.");
    process.exitCode = ok ? 0 : 1;
  },
  (err: unknown) => {
    console.error(`\n${err instanceof Error ? err.message : String(err)}`);
    process.exitCode = 1;
  },
);
