/** What `closed-sockets.ts` knows of the driver's inner class. */
declare module "mongodb/lib/cmap/connection.js" {
  import type { Socket } from "node:net";

  type Writing = { signal?: AbortSignal };

  export class Connection {
    readonly socket: Socket;
    writeCommand(command: unknown, options: Writing): Promise<void>;
  }
}
