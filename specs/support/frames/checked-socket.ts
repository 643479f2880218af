import { type ClientOptions, WebSocket } from "ws";
import { recordFrame } from "../../../contract/coverage/recorder.ts";
import type { FrameProblem } from "../../../contract/frames.ts";
import { SocketTraffic } from "./socket-traffic.ts";

/** The WebSocket of specs: every frame that it sends or receives is validated against the contract (see hook.ts). */
export class CheckedSocket extends WebSocket {
  /** Problems of all received frames. */
  readonly problems: FrameProblem[] = [];
  readonly #traffic = new SocketTraffic();

  constructor(address: string, options: ClientOptions = {}) {
    super(address, options);
    this.on("message", (data) => {
      const text = String(data);
      this.problems.push(...this.#traffic.received(text));
      recordFrame(address, text);
    });
  }

  override send(data: string): void {
    this.#traffic.sent(data);
    super.send(data);
  }

  /** Sends an invalid frame; with `asText`, bytes as a text frame. The answer still has to follow the contract. */
  sendMalformed(data: string | Buffer, { asText = false } = {}): void {
    super.send(data, asText ? { binary: false } : {});
  }
}
