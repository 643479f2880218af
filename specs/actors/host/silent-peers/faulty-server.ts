import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer as createHttps } from "node:https";
import { createServer as createTcp, type Server, type Socket } from "node:net";
import type { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { openTcpProxy } from "../../../support/tcp-proxy.ts";
import { CERTIFICATE } from "../../notifications/push/certificate.ts";

/** How another machine fails without closing a connection. */
export const FAULTS = {
  dropped: "drops all packets of an open connection",
  mute: "takes a connection and says nothing",
  unanswered: "takes a request and never answers",
  endless: "never ends an answer",
} as const;

export type Fault = keyof typeof FAULTS;

/** Small enough to be no pause for any timeout. */
const DRIP_MS = 200;

type Answer = { status: number; body: string };

export type FaultyServer = Awaited<ReturnType<typeof openHttpServer>>;

async function behindProxy(server: Server, current: { fault: Fault | null }) {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const proxy = await openTcpProxy(address.port);
  return {
    port: proxy.port,
    begin(fault: Fault): void {
      current.fault = fault;
      if (fault === "dropped" || fault === "mute") proxy.blackHole();
    },
    heal(): void {
      current.fault = null;
      proxy.release();
    },
    async close(): Promise<void> {
      await proxy.close();
      const closed = new Promise((done) => server.close(done));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Over plain HTTP, over TLS, or by HTTP/2. */
export function openHttpServer(protocol: "http" | "https" | "http2", answerOf: (path: string) => Answer) {
  const current: { fault: Fault | null } = { fault: null };
  const listener = async (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ): Promise<void> => {
    await buffer(request);
    if (current.fault === "unanswered") return;
    const { status, body } = answerOf(request.url ?? "");
    response.statusCode = status;
    response.setHeader("content-type", "application/json");
    const stream: Writable = response;
    if (current.fault !== "endless") {
      stream.end(body);
      return;
    }
    const dripping = setInterval(() => void stream.write(" "), DRIP_MS);
    response.once("close", () => clearInterval(dripping));
  };
  const server = {
    http: () => createHttp(listener),
    https: () => createHttps(CERTIFICATE, listener),
    http2: () => createSecureServer(CERTIFICATE, listener),
  }[protocol]();
  return behindProxy(server, current);
}

/** Just enough of SMTP to take a mail. */
export function openSmtpServer() {
  const current: { fault: Fault | null } = { fault: null };
  const server = createTcp((socket) => {
    const say = (line: string) => void (socket.writable && socket.write(`${line}\r\n`));
    let isText = false;
    function answer(line: string): void {
      if (isText && line !== ".") return;
      if (!isText && line.startsWith("DATA")) {
        isText = true;
        say("354 go on");
        return;
      }
      isText = false;
      if (current.fault === null) say("250 ok");
      if (current.fault !== "endless") return;
      const dripping = setInterval(() => say("250-wait"), DRIP_MS);
      socket.once("close", () => clearInterval(dripping));
    }
    let rest = "";
    socket.on("data", (bytes) => {
      const lines = `${rest}${bytes}`.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) answer(line);
    });
    say("220 spec ESMTP");
  });
  return behindProxy(server, current);
}
