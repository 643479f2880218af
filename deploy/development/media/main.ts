/** `npm run media`: the service together with a media service, both for development. Ctrl-C ends both. */
import { join } from "node:path";
import { asksForHelp } from "../../commands/help.ts";
import { ConfigError, isProduction, loadSettings } from "../../processes/config/config.ts";
import { processEnvironment } from "../../processes/config/environment.ts";
import { homeFolder } from "../../processes/config/project.ts";
import { SETTINGS } from "../../processes/config/settings.ts";
import { isClaimed } from "../../processes/primary/claim.ts";
import { primaryOptions } from "../../processes/primary/options.ts";
import { runPrimary } from "../../processes/primary/primary.ts";
import { StartError } from "../../processes/process/start-error.ts";
import { broadcasterAt } from "../home/broadcaster.ts";
import { developmentSecrets } from "../home/secrets.ts";
import { startMedia } from "./media.ts";
import { findMediaPrograms } from "./programs.ts";
import { type Publisher, publishTestPicture } from "./test-picture.ts";

const USAGE = "Usage: npm run media [-- --test-picture]";

const options = primaryOptions(processEnvironment(), {
  program: import.meta.url,
  processes: "../../processes/workers",
});
process.exit(await run(process.argv.slice(2)));

async function run(args: string[]): Promise<number> {
  if (asksForHelp(args)) {
    options.say(USAGE);
    return 0;
  }
  const hasPicture = args.includes("--test-picture");
  if (args.some((arg) => arg !== "--test-picture")) {
    options.complain(USAGE);
    return 2;
  }
  try {
    return await serve(hasPicture);
  } catch (err) {
    if (!(err instanceof StartError || err instanceof ConfigError)) throw err;
    options.complain(err.message);
    return 1;
  }
}

async function serve(hasPicture: boolean): Promise<number> {
  const { env: given, say, complain } = options;
  if (isProduction(given))
    throw new StartError("npm run media is for development: NODE_ENV says production.");
  const home = homeFolder(given[SETTINGS.home.name] || SETTINGS.home.fallback || "");
  if (isClaimed(home))
    throw new StartError("A service runs here already, without media. Stop it: npm run media starts both.");
  const settings = loadSettings({ ...given, ...developmentSecrets(home, given) });
  const programs = await findMediaPrograms(given);
  const media = await startMedia({ settings, programs, say, complain, signal: new AbortController().signal });
  const publishers: Publisher[] = [];
  try {
    return await runPrimary({
      ...options,
      env: { ...given, ...media.env },
      async ready({ http, publicUrl }) {
        const baseUrl = `http://127.0.0.1:${http.port}`;
        await media.finishOld();
        const studio = await broadcasterAt(baseUrl, {
          file: join(home, "media", "broadcaster.json"),
          prefix: "studio",
        });
        say(
          [
            "Media is ready: paste this into OBS (Settings, Stream, Custom), or send it by ffmpeg.",
            `  Server    ${media.rtmpUrl}`,
            `  Key       ${studio.streamKey}`,
            `  Channel   ${studio.username}, whose password is in ${join(home, "media", "broadcaster.json")}`,
            `  Watch     ${publicUrl}/${studio.username}`,
            "",
          ].join("\n"),
        );
        if (hasPicture)
          publishers.push(publishTestPicture(programs.ffmpeg, { ...media, ...studio }, complain));
      },
    });
  } finally {
    for (const publisher of publishers) await publisher.stop();
    await media.stop();
  }
}
