import { createServer, type Socket } from "node:net";
import { type HttpServer, serveHttp } from "../../deploy/serve-http.ts";
import { newLocalSocket } from "../../deploy/upgrade-splice/socket-folder.ts";
import { createAudit } from "../../store/audit.ts";
import { quietLog } from "../support/quiet-log.ts";
import { specSocketFolder } from "../support/socket-folder.ts";
import { openStores } from "../support/stores.ts";

export const AT_ONCE = { lingerMs: 0, finishMs: 0, spreadMs: 0 };

/** What a spec has to close, the last first. */
export type Closing = (() => unknown)[];

/** The public port as production opens it, with one plain route. */
export async function openPublicPort(
  closing: Closing,
  socketFolder: string,
  more: { trustedProxies?: string[]; times?: { stalled: number } } = {},
): Promise<HttpServer> {
  const stores = await openStores();
  closing.push(() => stores.close());
  const server = await serveHttp({
    ...{ host: "127.0.0.1", port: 0, trustedProxies: [], allowedOrigins: [], rateLimitFactor: 1_000 },
    ...{
      socketFolder,
      redis: stores.redis,
      log: quietLog(),
      audit: createAudit(quietLog()),
      systemKey: "unused",
    },
    identity: {
      authenticate: () => Promise.reject(new Error("nobody signs in here")),
      isStaff: async () => false,
    },
    routes: ({ bind }) => bind("getHealth", () => ({ status: "ok" })),
    ...more,
  });
  closing.push(() => server.drain(AT_ONCE));
  return server;
}

/** What stands where `count` realtime workers would, and does as it likes. */
export async function openRogueWorkers(closing: Closing, served: (socket: Socket) => void, count = 1) {
  const folder = specSocketFolder();
  closing.push(() => folder.remove());
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      served(socket);
    });
    await new Promise<void>((listening) => server.listen(newLocalSocket(folder.path).path, listening));
    closing.push(() => server.close());
  }
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { folder: folder.path, sockets };
}
