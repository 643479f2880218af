import type { HttpResponse, TemplatedApp } from "uWebSockets.js";
import { connect, type Socket } from "node:net";
import { newId } from "../../../base/ids.ts";

const CONNECTS_WITHIN_MS = 2_000;

/**
 * Upgrades responses to sockets without corking them.
 *
 * After an await uWS wants every write to a response inside a cork call. But when a response that becomes a socket keeps
 * its place in memory, uWS ends the cork as for a response, reads flags that don't exist any more, and closes the new
 * socket (1006; one in ten of the first sockets of a process). uWS doesn't cork while something else is corked: so each
 * upgrade runs inside the cork of a response of our own, which is requested once and never ended.
 */
export function createUpgradeCork(app: TemplatedApp) {
  const path = `/${newId()}`;
  let held: HttpResponse | null = null;
  let client: Socket | null = null;
  let settle: (() => void) | null = null;

  app.get(path, (res) => {
    res.onAborted(() => {
      held = null;
    });
    held = res;
    settle?.();
  });

  return {
    /**
     * Requests that response through the app's own Unix socket, since the port is shared with other workers. Rejects when
     * it doesn't come.
     */
    async open(localSocket: string): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error("the gateway doesn't answer itself")),
          CONNECTS_WITHIN_MS,
        );
        client = connect(localSocket, () => client?.write(`GET ${path} HTTP/1.1\r\nHost: gateway\r\n\r\n`));
        client.once("error", reject).once("close", () => clearTimeout(late));
        client.unref();
        settle = () => {
          clearTimeout(late);
          resolve();
        };
      });
    },
    run(res: HttpResponse, upgrade: () => void): void {
      // Only our own shutdown ends it; without it uWS only warns.
      if (held) held.cork(() => void res.cork(upgrade));
      else upgrade();
    },
    close(): void {
      client?.destroy();
    },
  };
}

export type UpgradeCork = ReturnType<typeof createUpgradeCork>;
