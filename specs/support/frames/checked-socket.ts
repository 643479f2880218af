import { type ClientOptions, WebSocket } from "ws";
import { recordFrame } from "../../contract/coverage/recorder.ts";
import type { FrameProblem } from "../../contract/frames.ts";
import { Talk } from "./talk.ts";

/** The WebSocket of specs: every frame that it sends or gets is held to the contract (see hook.ts). */
export class CheckedSocket extends WebSocket {
  /** Of all frames that it got. */
  readonly problems: FrameProblem[] = [];
  readonly #talk = new Talk();

  constructor(address: string, options: ClientOptions = {}) {
    super(address, options);
    this.on("message", (data) => {
      const text = String(data);
      this.problems.push(...this.#talk.hear(text));
      recordFrame(address, text);
    });
  }

  override send(data: string): void {
    this.#talk.say(data);
    super.send(data);
  }

  /** Sends what no client may send, bytes as if they were text with `asText`; what comes back has to be the contract's all the same. */
  sendMalformed(data: string | Buffer, { asText = false } = {}): void {
    super.send(data, asText ? { binary: false } : {});
  }
}
