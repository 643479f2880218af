/** The part of the driver's internal class that `closed-sockets.ts` uses. */
declare module "mongodb/lib/cmap/connection.js" {
  import type { Socket } from "node:net";

  type Writing = { signal?: AbortSignal };

  export class Connection {
    readonly socket: Socket;
    writeCommand(command: unknown, options: Writing): Promise<void>;
  }
}
