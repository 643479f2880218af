import { type FrameProblem, readCommand, type ServerMessage } from "../../../contract/frames.ts";
import type { CommandId } from "../../../contract/wire.ts";
import { problemsInFrame, problemsInReply } from "./check.ts";
import { reportFault } from "./faults.ts";

/** Limit of pending commands; on a socket that never answers the oldest are forgotten. */
const MAX_PENDING = 1_000;
const MAX_SHOWN = 300;

/** The traffic of one socket, each frame validated against the contract. */
export class SocketTraffic {
  readonly #pending = new Map<CommandId, string>();

  /** Call it with each frame that is sent; frames that are invalid on purpose bypass it. */
  sent(text: string): void {
    const reading = readCommand(text);
    if (!reading.ok) {
      reportFault(`sent ${shown(text)}: ${JSON.stringify(reading.problems)}`);
      return;
    }
    const { id, method } = reading.command;
    this.#pending.set(id, method);
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size <= MAX_PENDING) break;
      this.#pending.delete(oldest);
    }
  }

  /** Call it with each received frame; returns its problems. */
  received(text: string): FrameProblem[] {
    const frame: unknown = JSON.parse(text);
    const problems = problemsInFrame(frame);
    if (problems.length === 0) problems.push(...repliesIn(frame).flatMap((reply) => this.#problemsOf(reply)));
    if (problems.length > 0) reportFault(`received ${shown(text)}: ${JSON.stringify(problems)}`);
    return problems;
  }

  /** A subscribe command may get two replies: the normal one, and another when its replay fails later. */
  #problemsOf(reply: ServerMessage): FrameProblem[] {
    const method = reply.id === undefined ? undefined : this.#pending.get(reply.id);
    return method === undefined ? [] : problemsInReply(method, reply);
  }
}

/** The frame has been validated before. */
const repliesIn = (frame: unknown): ServerMessage[] =>
  (frame as ServerMessage[]).filter(({ type }) => type === "reply");

const shown = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
