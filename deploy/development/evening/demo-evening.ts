import { join } from "node:path";
import type { EveningState } from "../../../api/discovery/site/development.ts";
import type { Log } from "../../../base/log.ts";
import { urlHostOf } from "../../../base/this-machine.ts";
import { type Config, ownEdgeOf } from "../../processes/config/config.ts";
import { beginToStay, type Staying } from "./stay.ts";

type DemoEvening = {
  /** Does nothing while it is on or starting. */
  start(): void;
  stop(): Promise<void>;
};

/** The folder of its accounts' credentials; `npm run demo -- --stay` has the same. */
export const eveningFolder = (home: string): string => join(home, "demo");

/**
 * The demo evening that the front page's button starts: one at most, in the primary, until the service ends. Null in production, and where
 * a media service brings the pictures.
 */
export function createDemoEvening({
  config,
  log,
  changed,
}: {
  config: Config;
  log: Log;
  changed: (state: EveningState) => void;
}): DemoEvening | null {
  const { env, edge, publicUrl, http, home, secrets } = config;
  if (env === "production" || edge.url !== ownEdgeOf(publicUrl)) return null;
  const [ingestKey] = secrets.peers.ingest.keys;
  if (!ingestKey) return null;
  const stopped = new AbortController();
  let running: Promise<Staying | null> | null = null;

  async function begin(key: string): Promise<Staying | null> {
    changed({ status: "starting" });
    try {
      const staying = await beginToStay({
        baseUrl: `http://${urlHostOf(http.host ?? "127.0.0.1")}:${http.port}`,
        ingestKey: key,
        folder: eveningFolder(home),
        progress: (step) => log.info({ step }, "demo evening: starting"),
        signal: stopped.signal,
      });
      log.info({ channel: staying.username }, "demo evening: live");
      changed({ status: "live", username: staying.username });
      void staying.over.then((why) => {
        log.info({ why }, "demo evening: over");
        running = null;
        changed({ status: "off" });
      });
      return staying;
    } catch (err) {
      running = null;
      if (!stopped.signal.aborted) log.error({ err }, "demo evening: not started");
      changed({ status: "failed" });
      return null;
    }
  }

  return {
    start() {
      if (!stopped.signal.aborted) running ??= begin(ingestKey.reveal());
    },
    async stop() {
      stopped.abort();
      const staying = await running;
      await staying?.stop();
    },
  };
}
