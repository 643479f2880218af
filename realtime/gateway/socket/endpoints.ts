import uWS from "uWebSockets.js";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import { requestIdOf } from "../../../base/request-id.ts";
import { noSuchPath, unavailable } from "../../../contract/errors.ts";
import { ADDRESSES } from "../../../contract/frames.ts";
import { FIRST_APPLICATION_CODE } from "./close-codes.ts";
import type { Connection, SocketData } from "./connection.ts";
import { addressOf } from "./local-socket.ts";
import { asServiceError } from "./refusals.ts";
import type { SendBufferLimits } from "./send-buffer.ts";
import type { SocketSlot, SocketSlots } from "./socket-slots.ts";
import type { TimeSlicer } from "./time-slicer.ts";
import {
  PATH_KINDS,
  type PathKind,
  type RequestDeps,
  readRequest,
  refuse,
  type UpgradeRequest,
} from "./upgrade.ts";
import type { UpgradeCork } from "./upgrade-cork.ts";

const IDLE_SECONDS = 40;
export const PING_SECONDS = 24;
const MAX_FRAME = 8 * 1024;

const full = () =>
  unavailable({ retryAfterMs: 5_000, cause: new Error("as many sockets as this process may hold") });

/** The paths at which sockets are opened. An upgrade is counted first, then admitted, then carried out by the time slicer. */
export function serveEndpoints(
  app: uWS.TemplatedApp,
  deps: RequestDeps & {
    slots: SocketSlots;
    slicer: TimeSlicer;
    upgradeCork: UpgradeCork;
    buffer: SendBufferLimits;
    /** Throws the error with which the upgrade is refused. */
    admit(request: UpgradeRequest, slot: SocketSlot): Promise<Connection>;
    opened(connection: Connection): void;
    /** Null for a binary frame. */
    received(connection: Connection, frame: string | null): void;
    closed(connection: Connection): void;
    onRefused(operation: PathKind | "none" | "close", code: string): void;
    isStopped(): boolean;
    /** Whether the process may hold no socket beside those that are open and that many upgrades. */
    isFull(upgrades: number): boolean;
    log: Log;
  },
): void {
  const { slots, slicer, upgradeCork, onRefused, isStopped, log } = deps;

  const admission = createOutageLog(log, "admission of sockets");
  /** Under way. */
  let upgrades = 0;

  /**
   * Tracks whether the client has disconnected; to be checked before every use of the response outside the request's
   * synchronous handler.
   */
  function trackClient(res: uWS.HttpResponse) {
    const client = { isGone: false };
    res.onAborted(() => {
      client.isGone = true;
    });
    return client;
  }

  function refuseUpgrade(
    res: uWS.HttpResponse,
    { kind, requestId }: { kind: PathKind | "none"; requestId: string },
    err: unknown,
    slot: SocketSlot | null,
  ): void {
    const error = asServiceError(err, log.child({ requestId }));
    onRefused(kind, error.code);
    res.cork(() => refuse(res, error, requestId, slot?.allowance));
  }

  for (const kind of PATH_KINDS) {
    app.ws<SocketData>(ADDRESSES[kind].replace("{stream_id}", ":stream_id"), {
      idleTimeout: IDLE_SECONDS,
      sendPingsAutomatically: true,
      maxPayloadLength: MAX_FRAME,
      // Compression would run once per subscriber.
      compression: uWS.DISABLED,
      maxBackpressure: deps.buffer.hardBytes,
      closeOnBackpressureLimit: 1,
      upgrade(res, req, context) {
        const key = req.getHeader("sec-websocket-key");
        const protocol = req.getHeader("sec-websocket-protocol");
        const extensions = req.getHeader("sec-websocket-extensions");
        const client = trackClient(res);
        const request = readRequest(kind, res, req, { ...deps, isGone: () => client.isGone });
        if (deps.isFull(upgrades)) {
          admission.failed(full());
          return refuseUpgrade(res, request, full(), null);
        }
        admission.succeeded();
        let slot: SocketSlot | null = null;
        upgrades++;
        slots
          .take(request.ip)
          .then((taken) => {
            slot = taken;
            return deps.admit(request, taken);
          })
          .then((connection) =>
            slicer.run(() => {
              if (client.isGone || isStopped()) return connection.slot.release();
              client.isGone = true;
              upgradeCork.run(res, () => res.upgrade({ connection }, key, protocol, extensions, context));
              if (connection.isOpen) deps.opened(connection);
            }),
          )
          .catch((err: unknown) => {
            slot?.release();
            if (!client.isGone && !isStopped()) refuseUpgrade(res, request, err, slot);
          })
          .finally(() => {
            upgrades--;
          });
      },
      open(ws) {
        const { connection } = ws.getUserData();
        connection.opened(ws);
      },
      message(ws, frame, isBinary) {
        deps.received(ws.getUserData().connection, isBinary ? null : Buffer.from(frame).toString());
      },
      drain(ws) {
        ws.getUserData().connection.drained();
      },
      close(ws, code, reason) {
        const { connection } = ws.getUserData();
        // Detached before uWS closed it: we ended it, so the reason is one of ours.
        if (!connection.isOpen && code >= FIRST_APPLICATION_CODE)
          onRefused("close", Buffer.from(reason).toString());
        connection.closed();
        connection.slot.release();
        deps.closed(connection);
      },
    });
  }
  app.any("/*", (res, req) => {
    const ip = addressOf(res, req, deps);
    const client = trackClient(res);
    const request = { kind: "none", requestId: requestIdOf(req.getHeader("x-request-id")) } as const;
    const refuseWith = (err: unknown, slot: SocketSlot | null) => {
      if (!client.isGone && !isStopped()) refuseUpgrade(res, request, err, slot);
    };
    // Counted like any other upgrade.
    slots.take(ip).then(
      (slot) => {
        slot.release();
        refuseWith(noSuchPath(), slot);
      },
      (err: unknown) => refuseWith(err, null),
    );
  });
}
