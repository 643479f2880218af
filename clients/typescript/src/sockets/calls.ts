import { LivecoreError } from "../rest/errors.ts";
import type { CommandId, CommandMethod, MessageOf } from "./messages.ts";

export type Command = { id: CommandId; method: CommandMethod; params: object };
type Call = Command & { resolve(data: unknown): void; reject(error: unknown): void };

const MAX_PENDING = 200;

/** Pending commands, in the order in which they were sent. */
export class Calls {
  readonly #calls = new Map<CommandId, Call>();

  /**
   * Resolves with the reply's data, rejects with the LivecoreError that refused it. When too many are pending it rejects at once,
   * without sending.
   */
  add(command: Command, send: () => void): Promise<unknown> {
    if (this.#calls.size >= MAX_PENDING) {
      const message = "Too many commands wait for their answers.";
      return Promise.reject(new LivecoreError({ code: "rate_limited", message }, null));
    }
    return new Promise((resolve, reject) => {
      this.#calls.set(command.id, { ...command, resolve, reject });
      send();
    });
  }

  /** Ignores replies to commands that aren't pending. */
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
