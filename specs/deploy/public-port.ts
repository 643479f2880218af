import { createServer, type Socket } from "node:net";
import type { Operations } from "../../api/http/bind.ts";
import { newLocalSocket } from "../../deploy/processes/upgrade-splice/socket-folder.ts";
import { type AppOptions, type OpenedApp, openApp } from "../api/contract/open-app.ts";
import { specSocketFolder } from "../support/socket-folder.ts";

export const AT_ONCE = { lingerMs: 0, finishMs: 0, spreadMs: 0 };

/** What a spec has to close, in reverse order. */
export type Closing = (() => unknown)[];

/** The public port with one plain route. */
export async function openPublicPort(
  closing: Closing,
  socketFolder: string,
  more: Pick<AppOptions, "trustedProxies" | "times"> = {},
): Promise<OpenedApp> {
  const bindHealth = ({ bind }: Operations) => bind("getHealth", () => ({ status: "ok" }));
  const app = await openApp(bindHealth, { socketFolder, ...more });
  closing.push(() => app.close());
  return app;
}

/** Replaces `count` realtime workers by sockets that behave as the spec wants. */
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
