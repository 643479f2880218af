import { type ActorDefinition, type ActorTypes, answerOf } from "./definition.ts";
import type { Host } from "./host.ts";

/** Who asks; `key` is the client's Idempotency-Key, which counts per user and operation. */
export type By = { by: string; key?: string | null | undefined };

/** What the key stands for: by default the command's type, and the id with the whole command. */
type Keyed = { operation?: string; request?: object };

/**
 * One machine's actors, as the parts that offer them to routes ask them: refusals are thrown as ServiceErrors, and a
 * request with the key of an answered one is answered alike.
 */
export function createActorClient<T extends ActorTypes>(host: Host, definition: ActorDefinition<T>) {
  const optionsOf = ({ by, key }: By, operation: string, request: object) => ({
    by,
    ...(key ? { once: { key: `${by}:${operation}:${key}`, request } } : {}),
  });

  return {
    /** Brings an actor to life; `request` is what the user asked for. */
    create: async (
      id: string,
      input: T["input"],
      who: By,
      { operation = "create", request = input }: Keyed = {},
    ) => answerOf(await host.create(definition, id, input, optionsOf(who, operation, request))),

    ask: async (id: string, command: T["command"], who: By, keyed: Keyed = {}) => {
      const { operation = command.type, request = { id, ...command } } = keyed;
      return answerOf(await host.ask(definition, id, command, optionsOf(who, operation, request)));
    },

    /** A fact that nobody asked for; with `input` the actor may come to be by it. */
    tell: async (id: string, command: T["command"], input?: T["input"]) =>
      answerOf(await host.ask(definition, id, command, { by: null, ...(input ? { input } : {}) })),

    /** A fact that the actor may have no use for: then nothing happens, and the answer is null. */
    async note(id: string, command: T["command"]): Promise<T["answer"] | null> {
      const reply = await host.ask(definition, id, command, { by: null });
      if (reply.ok) return reply.answer;
      const { code } = reply.refusal;
      return code === "invalid_state" || code === "not_found" ? null : answerOf(reply);
    },

    /** Changes of state, oldest first. */
    history: (id: string, skip: number, limit: number) => host.history(definition.name, id, skip, limit),
  };
}
