import type { ActorTypes } from "./actor-types.ts";
import { type ActorDefinition, answerOf } from "./definition.ts";
import type { Host } from "./host.ts";
import type { AskOptions } from "./request.ts";

/** The caller; `key` is the client's Idempotency-Key, which counts per user, machine and operation. */
export type By = { by: string; key?: string | null | undefined };

/** What the key stands for: by default the command's type, and the id with the whole command. */
type Keyed = { operation?: string; request?: object };

/**
 * One machine's actors, for the parts that offer them to routes: refusals are thrown as ServiceErrors, and a
 * request with the key of an answered one is answered alike. `keyScope` sets a machine's keys apart from those of others;
 * it must never change, since workers of two releases have to find each other's keys.
 */
export function createActorClient<T extends ActorTypes>(
  host: Host,
  definition: ActorDefinition<T>,
  { keyScope = `${definition.name}.` }: { keyScope?: string } = {},
) {
  const keyOf = ({ by, key }: { by: string; key: string }, operation: string): string =>
    `${by}:${keyScope}${operation}:${key}`;

  function optionsOf(who: By | null, operation: string, request: object): AskOptions {
    if (!who?.key) return { by: who?.by ?? null };
    return { by: who.by, once: { key: keyOf({ by: who.by, key: who.key }, operation), request } };
  }

  return {
    /** Brings an actor to life; `request` is what the user requested. */
    create: async (
      id: string,
      input: T["input"],
      who: By,
      { operation = "create", request = input }: Keyed = {},
    ) => answerOf(await host.create(definition, id, input, optionsOf(who, operation, request))),

    /** `who` is null for a fact from outside, which no user requests. With `input` the actor may come to be by it. */
    async ask(
      id: string,
      command: T["command"],
      who: By | null,
      { operation = command.type, request = { id, ...command }, input }: Keyed & { input?: T["input"] } = {},
    ): Promise<T["answer"]> {
      const options = optionsOf(who, operation, request);
      return answerOf(await host.ask(definition, id, command, input ? { ...options, input } : options));
    },

    /** A fact that the actor may have no use for: then nothing happens, and the answer is null. */
    async notify(id: string, command: T["command"]): Promise<T["answer"] | null> {
      const reply = await host.ask(definition, id, command, { by: null });
      if (reply.ok) return reply.answer;
      const { code } = reply.refusal;
      return code === "invalid_state" || code === "not_found" ? null : answerOf(reply);
    },

    /** Under which the answer of an operation is kept. */
    keyOf,

    /** Changes of state, oldest first. */
    history: (id: string, skip: number, limit: number) => host.history(definition.name, id, skip, limit),
  };
}
