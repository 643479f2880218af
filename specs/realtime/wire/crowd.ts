import type { startChild } from "../../stress/child.ts";
import { bundle } from "../../support/bundle.ts";
import { type CrowdInput, type CrowdReport, isCrowdReport, isWatching } from "./crowd-messages.ts";

/** A room with its sockets and its talk in a separate process, so that its cost isn't part of the measuring process. */
export async function openCrowd(start: typeof startChild, input: CrowdInput) {
  const child = start(await bundle("specs/realtime/wire/crowd-child.ts"), input);
  await child.next(isWatching);
  let stops = 0;
  return {
    talk: () => child.send({ talk: true }),
    /** Resolves when everything was received, or the time is over. */
    async stop(): Promise<CrowdReport> {
      const stop = ++stops;
      child.send({ stop });
      return child.next(
        (message): message is CrowdReport => isCrowdReport(message) && message.report === stop,
      );
    },
  };
}
