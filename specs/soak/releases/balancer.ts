import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import { freePort } from "../../../deploy/development/stores/ports.ts";

type Service = { name: string; port: number };
/** An answer that nobody should see, whatever is replaced. */
type Failure = { by: string; request: string; status: number };

const BAD_GATEWAY = 502;

/** Stands in front of services that are replaced: requests and sockets go to those behind it by turns. */
export async function startBalancer() {
  let services: readonly Service[] = [];
  let turn = 0;
  const failures: Failure[] = [];
  const answers = new Map<string, number>();

  function next(): Service {
    const service = services[turn++ % services.length];
    if (!service) throw new Error("no service is behind the balancer");
    return service;
  }

  function pass(req: IncomingMessage, res: ServerResponse): void {
    const { name: by, port } = next();
    const { method, url: path, headers } = req;
    function note(status: number): void {
      answers.set(by, (answers.get(by) ?? 0) + 1);
      if (status >= 500) failures.push({ by, request: `${method} ${path}`, status });
    }
    const passed = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      const { statusCode: status = BAD_GATEWAY } = answer;
      note(status);
      res.writeHead(status, answer.headers);
      answer.pipe(res);
    });
    passed.on("error", () => {
      note(BAD_GATEWAY);
      if (!res.headersSent) res.writeHead(BAD_GATEWAY);
      res.end();
    });
    req.pipe(passed);
  }

  function splice(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const service = connect(next().port, "127.0.0.1");
    const names = req.rawHeaders.filter((_, i) => i % 2 === 0);
    const fields = names.map((name, i) => `${name}: ${req.rawHeaders[2 * i + 1]}`);
    service.write(`${[`${req.method} ${req.url} HTTP/1.1`, ...fields].join("\r\n")}\r\n\r\n`);
    service.write(head);
    // The end of one is that of the other, also by an error.
    pipeline(socket, service, socket, () => undefined);
  }

  const server = createServer(pass).on("upgrade", splice);
  const port = await freePort();
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${port}`,
    failures,
    /** Number of answers by the service's name. */
    answers,
    /** Replaces those behind it; connections that there are stay. */
    put(behind: readonly Service[]): void {
      services = behind;
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
