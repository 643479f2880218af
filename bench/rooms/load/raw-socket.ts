import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Opening } from "../dialects.ts";

/** All sockets of this process read into one buffer: what is in it is done with before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);

const SWITCHED = Buffer.from("HTTP/1.1 101");
const END_OF_HEAD = "\r\n\r\n";
const TEXT = 0x81;
const MASKED = 0x80;
const PONG = Buffer.from([0x8a, MASKED, 0, 0, 0, 0]);

/** As little of a WebSocket as the load needs: frames are masked (with zeros), what comes back stays bytes. */
export class RawSocket {
  onClose: () => void = () => undefined;
  private readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
  }

  /**
   * Resolves when the last step of the opening has been seen. `onBytes` is given what comes after it, to be done with
   * before it returns.
   */
  static open(
    { port, localAddress }: { port: number; localAddress?: string },
    { path, steps }: Opening,
    onBytes: (bytes: Buffer) => void,
  ): Promise<RawSocket> {
    return new Promise((resolve, reject) => {
      let early = Buffer.alloc(0);
      let isOpen = false;
      let left = [{ awaits: END_OF_HEAD, answer: undefined as string | undefined }, ...steps];
      const callback = (length: number) => {
        const bytes = shared.subarray(0, length);
        if (isOpen) {
          onBytes(bytes);
          return true;
        }
        early = Buffer.concat([early, bytes]);
        for (let step = left[0]; step; step = left[0]) {
          const at = early.indexOf(step.awaits);
          if (at < 0) return true;
          if (step.awaits === END_OF_HEAD && !early.subarray(0, SWITCHED.length).equals(SWITCHED)) {
            reject(new Error(`not upgraded: ${early.toString().slice(0, 400)}`));
            socket.destroy();
            return true;
          }
          early = early.subarray(at + step.awaits.length);
          left = left.slice(1);
          if (step.answer !== undefined) raw.say(step.answer);
        }
        isOpen = true;
        resolve(raw);
        onBytes(early);
        return true;
      };
      const socket = connect({
        host: "127.0.0.1",
        port,
        ...(localAddress ? { localAddress } : {}),
        noDelay: true,
        onread: { buffer: shared, callback },
      });
      const raw = new RawSocket(socket);
      socket.once("connect", () => {
        const key = randomBytes(16).toString("base64");
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
            `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
        );
      });
      // "close" follows and says it.
      socket.on("error", reject);
      socket.once("close", () => {
        reject(new Error("closed before it was open"));
        raw.onClose();
      });
    });
  }

  /** A pong that nobody asked for, so that the server doesn't take a socket for dead which says nothing. */
  keepAlive(): void {
    this.socket.write(PONG);
  }

  say(text: string): void {
    const payload = Buffer.from(text);
    const { length } = payload;
    const head = length < 126 ? 2 : 4;
    const frame = Buffer.alloc(head + 4 + length);
    frame[0] = TEXT;
    if (length < 126) {
      frame[1] = MASKED | length;
    } else {
      frame[1] = MASKED | 126;
      frame.writeUInt16BE(length, 2);
    }
    payload.copy(frame, head + 4);
    this.socket.write(frame);
  }
}
