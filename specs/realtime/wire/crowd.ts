import type { startChild } from "../../stress/child.ts";
import { bundle } from "../../support/bundle.ts";
import { type CrowdInput, type CrowdReport, isCrowdReport, isWatching } from "./crowd-messages.ts";

/** A room with its sockets and its talk, in a process of its own: what it costs isn't the measuring process's. */
export async function openCrowd(start: typeof startChild, input: CrowdInput) {
  const child = start(await bundle("specs/realtime/wire/crowd-child.ts"), input);
  await child.next(isWatching);
  let stops = 0;
  return {
    talk: () => child.send({ talk: true }),
    /** Resolves when all of it was heard, or wasn't in time. */
    async stop(): Promise<CrowdReport> {
      const stop = ++stops;
      child.send({ stop });
      return child.next(
        (message): message is CrowdReport => isCrowdReport(message) && message.report === stop,
      );
    },
  };
}
