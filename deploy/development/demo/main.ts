import { setTimeout as pause } from "node:timers/promises";
import { asksForHelp } from "../../commands/help.ts";
import { isProduction, loadSettings } from "../../processes/config/config.ts";
import { processEnvironment } from "../../processes/config/environment.ts";
import { homeFolder } from "../../processes/config/project.ts";
import { SETTINGS } from "../../processes/config/settings.ts";
import { isClaimed } from "../../processes/primary/claim.ts";
import { eveningFolder } from "../evening/demo-evening.ts";
import { beginToStay } from "../evening/stay.ts";
import { developmentSecrets } from "../home/secrets.ts";
import { findMediaPrograms } from "../media/programs.ts";
import { newClient } from "./cast.ts";
import { haveEvening } from "./evening.ts";
import { findVictim, isOnThisMachine, killWorker } from "./kill.ts";
import { makeStaff } from "./make-staff.ts";
import { ArgumentError, type DemoOptions, parseOptions, rateFor, USAGE } from "./options.ts";
import { createProgress, renderTable } from "./report.ts";

const CHAT_SECONDS = 20;
/** Time limit of the whole run, so that it ends even if something hangs. */
const DEADLINE_MS = 15 * 60_000;

async function evening(options: DemoOptions): Promise<boolean> {
  const { viewers, rate, seed } = options;
  const { home, http, secrets, payments, publicUrl } = sameSettings();
  const baseUrl = options.url ?? `http://127.0.0.1:${http.port}`;
  if (options.kill) findVictim(baseUrl, home);
  await requireService(baseUrl);
  const progress = createProgress(process.stdout);
  warnOfRate(options, progress);
  console.log(`One evening live at ${baseUrl}: ${viewers} viewers, ${rate} lines/s, seed ${seed}`);
  const isOurs = isOnThisMachine(baseUrl) && isClaimed(home);
  if (!isOurs) progress.note("no payments and no staff: `npm start` doesn't run this service here");
  else if (payments.stripe) progress.note("no payments: they are Stripe's");

  const { checks, figures } = await haveEvening({
    baseUrl,
    watchUrl: options.url ?? publicUrl,
    viewers,
    rate,
    seed,
    ingestKey: secrets.peers.ingest.keys[0]?.reveal() ?? "",
    ffmpeg: options.media ? (await findMediaPrograms(processEnvironment())).ffmpeg : null,
    chatSeconds: CHAT_SECONDS,
    progress,
    pass: (ms) => pause(ms),
    halfway: options.kill ? (stage) => killWorker(stage, findVictim(baseUrl, home)) : null,
    makeStaff: isOurs ? makeStaff : null,
    hasCheckoutPage: isOurs && !payments.stripe,
  });
  console.log(`\n${renderTable(checks)}\n\n${figures}`);
  return checks.every((one) => one.ok);
}

async function requireService(baseUrl: string): Promise<void> {
  try {
    await newClient(baseUrl).call("getHealth");
  } catch (cause) {
    throw new Error(`Nobody answers at ${baseUrl}: start the service with \`npm start\` first.`, { cause });
  }
}

function warnOfRate({ viewers, rate }: DemoOptions, progress: ReturnType<typeof createProgress>): void {
  const most = rateFor(viewers);
  if (rate > most)
    progress.note(`${viewers} viewers may write about ${most} lines/s: the room will refuse some of ${rate}`);
}

/** The demo evening, until a signal or the end of the service. */
async function stayUntilStopped(options: DemoOptions): Promise<void> {
  const { home, http, secrets, publicUrl } = sameSettings();
  const baseUrl = options.url ?? `http://127.0.0.1:${http.port}`;
  await requireService(baseUrl);
  const progress = createProgress(process.stdout);
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => interrupted.abort());
  const staying = await beginToStay({
    baseUrl,
    ingestKey: secrets.peers.ingest.keys[0]?.reveal() ?? "",
    folder: eveningFolder(home),
    progress: (line) => progress.note(line),
    signal: interrupted.signal,
  });
  console.log(
    [
      "",
      "The demo evening is live. It stays until Ctrl-C.",
      `  Watch     ${options.url ?? publicUrl}/${staying.username}`,
      `  Sign in   as ${staying.username} with the password ${staying.password}`,
      "",
    ].join("\n"),
  );
  interrupted.signal.addEventListener("abort", () => void staying.stop().catch(fail), { once: true });
  if (interrupted.signal.aborted) await staying.stop();
  console.log(`The demo evening is over: ${await staying.over}.`);
}

/** The settings that a service started from here uses, including its generated secrets. */
function sameSettings() {
  const env = processEnvironment();
  const home = homeFolder(env[SETTINGS.home.name] || SETTINGS.home.fallback || "");
  return loadSettings(isProduction(env) ? env : { ...env, ...developmentSecrets(home, env) });
}

function run(options: DemoOptions): void {
  if (options.stay) {
    stayUntilStopped(options).catch(fail);
    return;
  }
  const overdue = setTimeout(() => {
    console.error("\nThe evening took longer than 15 minutes; something hangs.");
    process.exit(1);
  }, DEADLINE_MS);
  overdue.unref();

  evening(options).then((ok) => {
    const tookS = Math.round(performance.now() / 1_000);
    console.log(ok ? `\nIt all adds up, after ${tookS} s.` : "\nSomething doesn't add up: see ✗ above.");
    process.exitCode = ok ? 0 : 1;
  }, fail);
}

function fail(err: unknown): void {
  console.error(`\n${err instanceof Error ? err.message : String(err)}`);
  // Viewers' sockets are still open and would reconnect for ever.
  process.exit(1);
}

const args = process.argv.slice(2);
if (asksForHelp(args)) {
  console.log(USAGE);
} else {
  try {
    run(parseOptions(args));
  } catch (err) {
    if (!(err instanceof ArgumentError)) throw err;
    console.error(`${err.message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
}
