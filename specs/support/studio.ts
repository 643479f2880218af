import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, type LivecoreClient } from "../../clients/typescript/src/index.ts";
import { findMediaPrograms, type MediaPrograms } from "../../deploy/development/media/programs.ts";
import { stop } from "../../deploy/development/stores/store-process.ts";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { StartError } from "../../deploy/processes/process/start-error.ts";
import { eventually } from "./eventually.ts";
import type { Service } from "./service.ts";

/** The cheapest test picture that is still larger than the smaller quality. */
export const SMALL_PICTURE = { size: "512x384", fps: 10 } as const;

/** The media programs; null and a printed line on a machine without them, where specs of real broadcasts are skipped. */
export async function mediaPrograms(): Promise<MediaPrograms | null> {
  try {
    return await findMediaPrograms(processEnvironment());
  } catch (err) {
    if (!(err instanceof StartError)) throw err;
    process.stdout.write(`      ${err.message}\n`);
    return null;
  }
}

/** The broadcaster of `npm run media`, signed in, and where to publish. */
type Studio = {
  client: LivecoreClient;
  username: string;
  password: string;
  streamId: string;
  rtmpUrl: string;
  streamKey: string;
};

/** Resolves once media is ready. */
export async function openStudio(service: Service): Promise<Studio> {
  await service.ready();
  const settings = () => /Server +(\S+)[\s\S]*Key +(\S+)/.exec(service.output());
  await eventually(() => settings() !== null, { withinMs: 30_000, what: "media is ready" });
  const [, rtmpUrl = "", streamKey = ""] = settings() ?? [];
  const account = readFileSync(join(service.env.LIVECORE_HOME ?? "", "media", "broadcaster.json"), "utf8");
  const { username, password } = JSON.parse(account);
  const client = createClient({ baseUrl: service.http });
  await client.call("login", { body: { login: String(username), password: String(password) } });
  const { id: streamId } = await client.call("getMyStream");
  return { client, username: String(username), password: String(password), streamId, rtmpUrl, streamKey };
}

/** Ends the service and everything that it started. */
export async function closeStudio(service: Service): Promise<void> {
  service.signal("SIGTERM");
  await service.ended;
  // nginx is left only when the stop failed.
  await stop(join(service.env.LIVECORE_HOME ?? "", "media", "nginx", "process.json"));
}
