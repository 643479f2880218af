import { request as httpRequest } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { RoomWaits } from "../../../api/chat/bot-long-polls.ts";
import type { Log } from "../../../base/log.ts";
import { cursorOf, type Position } from "../../../base/room-position.ts";
import { TOKEN_HEADER } from "../../../realtime/gateway/socket/local-socket.ts";
import { waitPath } from "../../../realtime/gateway/socket/wait-endpoint.ts";
import { socketPathsIn, tokenOf } from "../upgrade-splice/socket-folder.ts";

/** Pause before the next try. A worker that has died is replaced within about this time. */
const AGAIN_MS = 500;
/** Added to the time that the worker may wait, since it joins the room first. */
const GRACE_MS = 6_000;

/**
 * The client of long polls for news of rooms; the server is `realtime/gateway/feed/room-long-poll-server.ts`. It asks the realtime
 * workers of this machine, which follow the rooms anyway, over the Unix sockets that upgrades use. When a worker dies, another one
 * is tried. At worst nobody answers: then the wait ends without news when its time is over. Nothing is lost, since events are read
 * from the room's log.
 */
export function createRoomLongPollClient({ socketFolder, log }: { socketFolder: string; log: Log }) {
  const token = tokenOf(socketFolder);
  const open = new Set<AbortController>();
  let isClosed = false;

  /** True for news, false for none in time, null when this worker can't answer. */
  function ask(socketPath: string, path: string, ms: number, signal: AbortSignal): Promise<boolean | null> {
    return new Promise((resolve) => {
      const request = httpRequest({
        socketPath,
        path,
        agent: false,
        headers: { host: "local", [TOKEN_HEADER]: token },
        signal,
      });
      request.setTimeout(ms + GRACE_MS, () => request.destroy(new Error("no answer in time")));
      request.once("response", (response) => {
        response.resume();
        const { statusCode = 0 } = response;
        resolve(statusCode === 200 ? true : statusCode === 204 ? false : null);
      });
      request.once("error", (err) => {
        if (!signal.aborted) log.debug({ err }, "a realtime worker has gone while a bot waited");
        resolve(null);
      });
      request.end();
    });
  }

  const waits: RoomWaits = {
    async next(streamId, { after, ms, signal: gone }) {
      const ending = new AbortController();
      const { signal } = ending;
      const end = () => ending.abort();
      if (isClosed || gone.aborted) return false;
      open.add(ending);
      gone.addEventListener("abort", end);
      try {
        return await nextWithin(streamId, after, { ms, signal });
      } finally {
        gone.removeEventListener("abort", end);
        open.delete(ending);
      }
    },
  };
  return {
    ...waits,
    /** Ends all waits now, and all later ones at once, without news: their clients retry elsewhere. */
    close(): void {
      isClosed = true;
      for (const ending of open) ending.abort();
    },
  };

  async function nextWithin(
    streamId: string,
    after: Position,
    { ms, signal }: { ms: number; signal: AbortSignal },
  ): Promise<boolean> {
    const until = performance.now() + ms;
    while (!signal.aborted) {
      for (const socketPath of shuffled(await socketPathsIn(socketFolder))) {
        const left = until - performance.now();
        if (left <= 0 || signal.aborted) return false;
        const hasMoved = await ask(socketPath, waitPath(streamId, cursorOf(after), left), left, signal);
        // A worker that shuts down answers "no news" before the time is over; then another one is tried.
        if (hasMoved === true || (hasMoved === false && performance.now() >= until)) return hasMoved;
      }
      const left = until - performance.now();
      if (left <= 0) return false;
      await delay(Math.min(AGAIN_MS, left), undefined, { signal }).catch(() => undefined);
    }
    return false;
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
