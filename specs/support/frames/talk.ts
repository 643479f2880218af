import { type FrameProblem, readCommand, type ServerMessage } from "../../contract/frames.ts";
import type { CommandId } from "../../contract/wire.ts";
import { problemsInFrame, problemsInReply } from "./check.ts";
import { reportFault } from "./faults.ts";

/** Commands whose replies are awaited; those of a socket that never answers are forgotten, the oldest first. */
const MAX_ASKED = 1_000;
const MAX_SHOWN = 300;

/** What one socket says and hears, each frame held to the contract. */
export class Talk {
  readonly #asked = new Map<CommandId, string>();

  /** A client's frame on its way; specs that send another form on purpose don't send it by here. */
  say(text: string): void {
    const reading = readCommand(text);
    if (!reading.ok) {
      reportFault(`sent ${shown(text)}: ${JSON.stringify(reading.problems)}`);
      return;
    }
    const { id, method } = reading.command;
    this.#asked.set(id, method);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MAX_ASKED) break;
      this.#asked.delete(oldest);
    }
  }

  /** A frame of the server; gives what is wrong with it. */
  hear(text: string): FrameProblem[] {
    const frame: unknown = JSON.parse(text);
    const problems = problemsInFrame(frame);
    if (problems.length === 0) problems.push(...repliesIn(frame).flatMap((reply) => this.#problemsOf(reply)));
    if (problems.length > 0) reportFault(`heard ${shown(text)}: ${JSON.stringify(problems)}`);
    return problems;
  }

  /** A subscription may be answered twice: with its reply, and when its replay fails later. */
  #problemsOf(reply: ServerMessage): FrameProblem[] {
    const method = reply.id === undefined ? undefined : this.#asked.get(reply.id);
    return method === undefined ? [] : problemsInReply(method, reply);
  }
}

/** The frame has the contract's form by now. */
const repliesIn = (frame: unknown): ServerMessage[] =>
  (frame as ServerMessage[]).filter(({ type }) => type === "reply");

const shown = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
