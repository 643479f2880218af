import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { SocketTraffic } from "../../support/frames/socket-traffic.ts";

type Closing = { code: number; reason: string };

/** All sockets of this process read into this shared buffer; what must outlive a callback is copied. */
const shared = Buffer.allocUnsafe(256 * 1024);
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const [TEXT, CLOSE, PING, PONG] = [0x1, 0x8, 0x9, 0xa];

/** So many frames of a process are validated against the contract, and after those every hundredth: load is measured here. */
const CHECKED_AT_FIRST = 500;
const CHECKED_LATER = 100;
let frames = 0;

function isChecked(): boolean {
  frames++;
  return frames <= CHECKED_AT_FIRST || frames % CHECKED_LATER === 0;
}

/**
 * A minimal WebSocket client: a process can hold thousands, and each can stop reading, so that the server's send buffer
 * fills up.
 */
export class WireSocket {
  /** The response to the upgrade: 101, or the refusal with its body; status 0 without a response. */
  readonly upgraded: Promise<{ status: number; body: string }>;
  /** Code 1006 when the connection ended without a close frame. */
  readonly closed: Promise<Closing>;
  closing: Closing | null = null;
  private readonly traffic = new SocketTraffic();
  private readonly socket: Socket;
  private readonly onFrame: (payload: Buffer) => void;
  private rest: Buffer = Buffer.alloc(0);
  private isOpen = false;
  private settleUpgrade: (answer: { status: number; body: string }) => void = () => undefined;

  /** The payload is valid only until `onFrame` returns. */
  constructor(options: {
    port: number;
    path: string;
    headers?: Record<string, string>;
    onFrame?: (payload: Buffer) => void;
  }) {
    const { port, path, headers = {}, onFrame = () => undefined } = options;
    this.onFrame = onFrame;
    this.upgraded = new Promise((resolve) => {
      this.settleUpgrade = resolve;
    });
    const callback = (length: number) => {
      this.read(shared.subarray(0, length));
      return true;
    };
    this.socket = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer: shared, callback } });
    this.socket.once("connect", () => {
      const lines = Object.entries({
        Host: `127.0.0.1:${port}`,
        Upgrade: "websocket",
        Connection: "Upgrade",
        "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
        "Sec-WebSocket-Version": "13",
        ...headers,
      });
      this.socket.write(
        `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
      );
    });
    // "close" follows and reports it.
    this.socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once("close", () => {
        this.closing ??= { code: 1006, reason: "" };
        this.settleUpgrade({ status: 0, body: "" });
        resolve(this.closing);
      });
    });
  }

  /** Leaves incoming data in the kernel's buffers, and then in the server's. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  send(command: object): void {
    const text = JSON.stringify(command);
    this.traffic.sent(text);
    this.write(TEXT, Buffer.from(text));
  }

  /** Sends an invalid frame. */
  sendMalformed(text: string): void {
    this.write(TEXT, Buffer.from(text));
  }

  /** Cuts it as a network failure would, without a close frame. */
  cut(): void {
    this.socket.destroy();
  }

  private write(opcode: number, payload: Buffer): void {
    const { length } = payload;
    const head = length < 126 ? 2 : 4;
    // Masked with zeros, since clients have to mask.
    const frame = Buffer.alloc(head + 4 + length);
    frame[0] = 0x80 | opcode;
    if (length < 126) frame[1] = 0x80 | length;
    else {
      frame[1] = 0x80 | 126;
      frame.writeUInt16BE(length, 2);
    }
    payload.copy(frame, head + 4);
    this.socket.write(frame);
  }

  private read(bytes: Buffer): void {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const used = this.isOpen ? this.readFrames(all, 0) : this.readHead(all);
    this.rest = used === all.length ? Buffer.alloc(0) : Buffer.from(all.subarray(used));
  }

  private readHead(bytes: Buffer): number {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) return 0;
    const status = Number(bytes.subarray(9, 12).toString());
    const from = end + END_OF_HEAD.length;
    this.isOpen = status === 101;
    if (!this.isOpen) {
      const length = Number(/content-length: (\d+)/i.exec(bytes.subarray(0, end).toString())?.[1] ?? 0);
      if (bytes.length < from + length) return 0;
      this.settleUpgrade({ status, body: bytes.subarray(from, from + length).toString() });
      this.socket.destroy();
      return bytes.length;
    }
    this.settleUpgrade({ status, body: "" });
    return this.readFrames(bytes, from);
  }

  /** Returns the offset of the first incomplete frame. */
  private readFrames(bytes: Buffer, from: number): number {
    let at = from;
    while (bytes.length - at >= 2) {
      const opcode = bytes.readUInt8(at) & 0xf;
      const short = bytes.readUInt8(at + 1) & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (bytes.length - at < head) return at;
      const length =
        short < 126
          ? short
          : short === 126
            ? bytes.readUInt16BE(at + 2)
            : Number(bytes.readBigUInt64BE(at + 2));
      if (bytes.length - at < head + length) return at;
      this.take(opcode, bytes.subarray(at + head, at + head + length));
      at += head + length;
    }
    return at;
  }

  private take(opcode: number, payload: Buffer): void {
    if (opcode === TEXT) {
      if (isChecked()) this.traffic.received(payload.toString());
      this.onFrame(payload);
    } else if (opcode === PING) this.write(PONG, Buffer.from(payload));
    else if (opcode === CLOSE) {
      this.closing = { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString() };
      this.socket.destroy();
    }
  }
}
