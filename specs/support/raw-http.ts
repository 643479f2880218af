import { randomInt } from "node:crypto";
import { connect, type Socket } from "node:net";
import { eventually } from "./eventually.ts";

/** A TCP connection that sends what a spec writes and keeps everything it receives. */
export class RawConnection {
  readonly socket: Socket;
  isClosed = false;
  private answered = "";

  /** `from` is a local address: any of 127.0.0.0/8. */
  constructor(port: number, from = "127.0.0.1") {
    this.socket = connect({ port, host: "127.0.0.1", localAddress: from, allowHalfOpen: true });
    this.socket.on("data", (chunk) => {
      this.answered += chunk.toString("latin1");
    });
    this.socket.on("error", () => undefined); // "close" follows
    this.socket.on("close", () => {
      this.isClosed = true;
    });
  }

  write(text: string): void {
    this.socket.write(text, "latin1");
  }

  text(): string {
    return this.answered;
  }

  /** Status codes in order of arrival. */
  statuses(): number[] {
    return [...this.answered.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  async ended(): Promise<void> {
    await eventually(() => this.isClosed || this.socket.readableEnded, { what: "the other side's end" });
  }

  close(): void {
    this.socket.destroy();
  }
}

/** A request head; `lines` are additional headers. */
export function headOf(request: string, ...lines: string[]): string {
  return [`${request} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n");
}

export function upgradeHead(path: string, ...lines: string[]): string {
  return headOf(
    `GET ${path}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...lines,
  );
}

/** A random loopback address, for which rate limits have counted nothing yet. */
export const newLocalAddress = (): string =>
  `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
