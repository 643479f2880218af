import { connect, createServer, type Socket } from "node:net";
import { newId } from "../../../base/ids.ts";

/** Marks a request to be cut: it is executed, and its response never arrives. */
const CUT_HEADER = "x-cut";

const ANSWERED_WITHIN_MS = 15_000;

/**
 * A proxy that loses responses: it forwards a request with `CUT_HEADER`, and once the whole response has arrived, destroys the
 * connection instead. Lost responses can be read.
 */
export async function openCutProxy(port: number) {
  const lost = new Map<string, string>();
  const open = new Set<Socket>();

  const server = createServer((client) => {
    const service = connect(port, "127.0.0.1");
    let cut: string | null = null;
    let answer = "";
    const end = () => {
      client.destroy();
      service.destroy();
      open.delete(client);
      open.delete(service);
    };
    for (const socket of [client, service]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.once("error", end);
      socket.once("close", end);
    }
    client.on("data", (chunk) => {
      cut ??= new RegExp(`^${CUT_HEADER}: (\\S+)`, "im").exec(String(chunk))?.[1] ?? null;
      service.write(chunk);
    });
    service.on("data", (chunk) => {
      if (cut === null) {
        client.write(chunk);
        return;
      }
      answer += String(chunk);
      if (!isWhole(answer)) return;
      lost.set(cut, answer.slice(answer.indexOf("\r\n\r\n") + 4));
      end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");
  const url = `http://127.0.0.1:${address.port}`;

  return {
    url,
    /** Sends a request whose response is lost; resolves with the lost body. */
    async lose(path: string, init: { method: string; headers: Record<string, string>; body: string }) {
      const name = newId();
      const headers = { ...init.headers, [CUT_HEADER]: name };
      const sent = fetch(`${url}${path}`, {
        ...init,
        headers,
        signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
      });
      const arrived = await sent.then(
        () => true,
        () => false,
      );
      const body = lost.get(name);
      lost.delete(name);
      if (arrived || body === undefined) throw new Error("an answer that should be lost wasn't");
      const parsed: unknown = JSON.parse(body);
      return parsed;
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Our responses have a Content-Length. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /^content-length: (\d+)/im.exec(answer.slice(0, head))?.[1];
  if (length === undefined) throw new Error(`an answer doesn't say how long it is: ${answer.slice(0, 200)}`);
  return Buffer.byteLength(answer.slice(head + 4)) >= Number(length);
}
