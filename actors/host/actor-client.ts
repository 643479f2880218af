import type { Range } from "../../store/mongo/driver/page.ts";
import type { ActorTypes } from "./actor-types.ts";
import { type ActorDefinition, answerOf } from "./definition.ts";
import type { Host } from "./host.ts";
import type { AskOptions } from "./request.ts";

/** The caller; `key` is the client's Idempotency-Key, which is scoped to user, machine and operation. */
export type By = { by: string; key?: string | null | undefined };

/** What the key identifies; by default, the command's type as operation, and the id with the whole command as request. */
type Keyed = { operation?: string; request?: object };

/**
 * One machine's actors, for the services behind the routes: refusals are thrown as ServiceErrors, and a request with the key
 * of an answered one gets the same answer. `keyScope` separates a machine's keys from those of other machines; it must never
 * change, since workers of two releases have to find each other's keys.
 */
export function createActorClient<T extends ActorTypes>(
  host: Host,
  definition: ActorDefinition<T>,
  { keyScope = `${definition.name}.` }: { keyScope?: string } = {},
) {
  const keyOf = ({ by, key }: { by: string; key: string }, operation: string): string =>
    `${by}:${keyScope}${operation}:${key}`;

  function optionsOf(caller: By | null, operation: string, request: object): AskOptions {
    if (!caller?.key) return { by: caller?.by ?? null };
    return { by: caller.by, once: { key: keyOf({ by: caller.by, key: caller.key }, operation), request } };
  }

  return {
    /** Creates an actor; `request` is what the user requested. */
    create: async (
      id: string,
      input: T["input"],
      caller: By,
      { operation = "create", request = input }: Keyed = {},
    ) => answerOf(await host.create(definition, id, input, optionsOf(caller, operation, request))),

    /**
     * `caller` is null for an external event that no user requested. With `input`, a missing actor is created, also where the
     * command is then refused by `decide` or by its state; where `refuseCreation` refuses, it isn't.
     */
    async ask(
      id: string,
      command: T["command"],
      caller: By | null,
      { operation = command.type, request = { id, ...command }, input }: Keyed & { input?: T["input"] } = {},
    ): Promise<T["answer"]> {
      const options = optionsOf(caller, operation, request);
      return answerOf(await host.ask(definition, id, command, input ? { ...options, input } : options));
    },

    /** Sends an event that the actor may not need: when it doesn't exist or its state refuses, returns null. */
    async notify(id: string, command: T["command"]): Promise<T["answer"] | null> {
      const reply = await host.ask(definition, id, command, { by: null });
      if (reply.ok) return reply.answer;
      const { code } = reply.refusal;
      return code === "invalid_state" || code === "not_found" ? null : answerOf(reply);
    },

    /** The key under which an operation's answer is stored. */
    keyOf,

    /** Changes of state, oldest first. */
    history: (id: string, range: Range) => host.history(definition.name, id, range),
  };
}
