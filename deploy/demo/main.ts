import { setTimeout as pause } from "node:timers/promises";
import { isProduction, loadSettings } from "../config/config.ts";
import { processEnvironment } from "../config/environment.ts";
import { homeFolder } from "../config/project.ts";
import { SETTINGS } from "../config/settings.ts";
import { asksForHelp } from "../help.ts";
import { developmentSecrets } from "../home/secrets.ts";
import { findMediaPrograms } from "../media/programs.ts";
import { isClaimed } from "../primary/claim.ts";
import { newClient } from "./cast.ts";
import { haveEvening } from "./evening.ts";
import { findVictim, isOnThisMachine, killWorker } from "./kill.ts";
import { makeStaff } from "./make-staff.ts";
import { ArgumentError, type DemoOptions, parseOptions, USAGE } from "./options.ts";
import { createProgress, renderTable } from "./report.ts";

const CHAT_SECONDS = 20;
/** Time limit of the whole run, so that it ends even if something hangs. */
const DEADLINE_MS = 15 * 60_000;

async function evening(options: DemoOptions): Promise<boolean> {
  const { viewers, rate, seed } = options;
  const { home, http, secrets, payments } = sameSettings();
  const baseUrl = options.url ?? `http://127.0.0.1:${http.port}`;
  if (options.kill) findVictim(baseUrl, home);
  await newClient(baseUrl)
    .call("getHealth")
    .catch((err: unknown) => {
      throw new Error(`Nobody answers at ${baseUrl}: start the service with \`npm start\` first.`, {
        cause: err,
      });
    });
  console.log(`One evening live at ${baseUrl}: ${viewers} viewers, ${rate} lines/s, seed ${seed}`);
  const isOurs = isOnThisMachine(baseUrl) && isClaimed(home);
  const progress = createProgress(process.stdout);
  if (!isOurs) progress.note("no payments and no staff: `npm start` doesn't run this service here");
  else if (payments.stripe) progress.note("no payments: they are Stripe's");

  const { checks, figures } = await haveEvening({
    baseUrl,
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

/** The settings that a service started from here uses, including its generated secrets. */
function sameSettings() {
  const env = processEnvironment();
  const home = homeFolder(env[SETTINGS.home.name] || SETTINGS.home.fallback || "");
  return loadSettings(isProduction(env) ? env : { ...env, ...developmentSecrets(home, env) });
}

function run(options: DemoOptions): void {
  const overdue = setTimeout(() => {
    console.error("\nThe evening took longer than 15 minutes; something hangs.");
    process.exit(1);
  }, DEADLINE_MS);
  overdue.unref();

  evening(options).then(
    (ok) => {
      const tookS = Math.round(performance.now() / 1_000);
      console.log(ok ? `\nIt all adds up, after ${tookS} s.` : "\nSomething doesn't add up: see ✗ above.");
      process.exitCode = ok ? 0 : 1;
    },
    (err: unknown) => {
      console.error(`\n${err instanceof Error ? err.message : String(err)}`);
      // Viewers' sockets are still open and would reconnect for ever.
      process.exit(1);
    },
  );
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
