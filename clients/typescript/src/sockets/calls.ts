import { LivecoreError } from "../rest/errors.ts";
import type { CommandId, CommandMethod, MessageOf } from "./messages.ts";

export type Command = { id: CommandId; method: CommandMethod; params: object };
type Call = Command & { resolve(data: unknown): void; reject(error: unknown): void };

const MOST = 200;

/** Commands whose answers are waited for, in the order of their asking. */
export class Calls {
  readonly #calls = new Map<CommandId, Call>();

  /** Resolves with the reply's data, rejects with what refused it; at once, unsent, when too many wait. */
  add(command: Command, send: () => void): Promise<unknown> {
    if (this.#calls.size >= MOST) {
      const message = "Too many commands wait for their answers.";
      return Promise.reject(new LivecoreError({ code: "rate_limited", message }, null));
    }
    return new Promise((resolve, reject) => {
      this.#calls.set(command.id, { ...command, resolve, reject });
      send();
    });
  }

  /** Nothing for a command that nobody waits for. */
  answer({ id, error, data }: MessageOf<"reply">): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    if (error) call.reject(new LivecoreError(error, null));
    else call.resolve(data);
  }

  waiting(): readonly Command[] {
    return [...this.#calls.values()];
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}
