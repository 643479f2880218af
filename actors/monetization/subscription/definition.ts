import type { Db } from "mongodb";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { ONE_CURRENT_A_CHANNEL, subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { type ActorDefinition, type Decision, refuse } from "../../host/definition.ts";
import { sameFormat } from "../../host/with-context.ts";
import { type SubscriptionTypes, subscriptionEffects } from "./effects.ts";
import { standingAt, withFact } from "./fact-log.ts";
import {
  SUBSCRIPTION_VERSION,
  type SubscriptionCommand,
  type SubscriptionContext,
  type SubscriptionEvent,
  subscriptionCommands,
  subscriptionContext,
  subscriptionInput,
  subscriptionMachine,
} from "./machine.ts";
import { withPaidTime } from "./migrations.ts";
import { subscriptionDoc } from "./view.ts";

export type SubscriptionDefinition = ActorDefinition<SubscriptionTypes>;

export function subscriptionDefinition(db: Db): SubscriptionDefinition {
  const subscriptions = subscriptionsIn(db);
  const streams = streamsIn(db);
  const users = usersIn(db);
  const blocks = blocksIn(db);
  return {
    name: "subscription",
    version: SUBSCRIPTION_VERSION,
    migrations: { 1: withPaidTime, 2: sameFormat },
    machine: subscriptionMachine,
    context: subscriptionContext,
    input: subscriptionInput,
    commands: subscriptionCommands,

    async prepare({ context, pending }) {
      const people = context ?? pending.find(({ input }) => input !== null)?.input;
      const givers = pending.flatMap(({ command }) => (command?.type === "paid" ? [command.giftedBy] : []));
      if (!people || givers.length === 0) return { streamId: null, users: new Map() };
      const ids = [...new Set([people.subscriberId, ...givers])].filter((id) => id !== null);
      const [stream, known, blocked] = await Promise.all([
        streams.findByUser(people.channelUserId),
        users.findManyPublic(ids),
        blocks.eitherWay(people.channelUserId, ids),
      ]);
      const visible = known.filter(({ _id }) => !blocked.has(_id));
      return { streamId: stream?._id ?? null, users: new Map(visible.map((user) => [user._id, user])) };
    },

    unique: { [ONE_CURRENT_A_CHANNEL]: { code: "already_subscribed" } },
    decide,
    effects: subscriptionEffects(db),
    save: (states, session) => subscriptions.save(states.map(subscriptionDoc), session),
    answer: (state) => ({
      subscription: subscriptionDoc(state),
      unbooked: state.context.standing.unbooked,
    }),
  };
}

type Scope = { state: ActorState<SubscriptionContext> };

/** Checks that the state chart alone can't make. */
function decide(command: SubscriptionCommand, { state }: Scope): Decision<SubscriptionEvent> {
  const { context, status } = state;
  if (command.type === "paid") {
    // A payment after the end belongs to a new subscription.
    const after = standingAt(withFact(context, command), command.happenedAt);
    if (after.unbooked.includes(command.id)) return refuse("invalid_state", { status });
  }
  if (
    command.type === "downgrade" &&
    (context.standing.priceCents === null || command.tier > context.standing.tier)
  )
    return refuse("invalid_state", { status });
  return { ok: true, event: command };
}
