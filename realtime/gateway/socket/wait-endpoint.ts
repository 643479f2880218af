import type { TemplatedApp } from "uWebSockets.js";
import type { Log } from "../../../base/log.ts";
import { type Position, parseCursor } from "../../../base/room-position.ts";
import { isFromApiWorker, type LocalSocket } from "./local-socket.ts";
import { asServiceError } from "./refusals.ts";

/** Where api workers of this machine wait for new events of a room; to anybody else the path doesn't exist. */
const WAIT_PATH = "/internal/rooms/:stream_id/next/:after/:ms";

export const waitPath = (streamId: string, after: string, ms: number): string =>
  `/internal/rooms/${streamId}/next/${after}/${Math.ceil(ms)}`;

/** Longer than any client may wait. */
const MAX_MS = 30_000;

/**
 * Resolves to whether the room has new events; `onEnd` receives a function that ends the wait early. Throws not_found,
 * unavailable.
 */
type Waits = {
  next(
    streamId: string,
    wait: { after: Position; ms: number; onEnd(stop: () => void): void },
  ): Promise<boolean>;
};

/** 200: there are new events; 204: none came; 404: no such room; 503: another worker is to be tried. */
export function serveRoomWaits(
  app: TemplatedApp,
  { localSocket, waits, log }: { localSocket: LocalSocket; waits: Waits; log: Log },
): void {
  app.get(WAIT_PATH, (res, req) => {
    const after = parseCursor(req.getParameter(1) ?? "");
    const ms = Math.min(Number(req.getParameter(2) ?? 0), MAX_MS);
    // Falls through to the catch-all route.
    if (!isFromApiWorker(res, req, localSocket) || !after || !(ms >= 0)) return void req.setYield(true);
    let isGone = false;
    let end: (() => void) | null = null;
    res.onAborted(() => {
      isGone = true;
      end?.();
    });
    const answer = (status: string) => {
      if (isGone) return;
      isGone = true;
      res.cork(() => res.writeStatus(status).endWithoutBody(0, false));
    };
    const onEnd = (stop: () => void) => {
      end = stop;
      if (isGone) stop();
    };
    waits.next(req.getParameter(0) ?? "", { after, ms, onEnd }).then(
      (hasMoved) => answer(hasMoved ? "200 OK" : "204 No Content"),
      (err: unknown) => {
        const { code } = asServiceError(err, log);
        answer(code === "not_found" ? "404 Not Found" : "503 Service Unavailable");
      },
    );
  });
}
