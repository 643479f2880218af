/**
 * An api or jobs worker, as far as actors are concerned: takes orders, or sweeps timers, outbox rows and abandoned
 * transactions.
 */
import { createActors } from "../../../../actors/actors.ts";
import { processClock as clock } from "../../../../base/clock.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { startAbandonedTransactions } from "../../../../jobs/host/abandoned-transactions/sweep.ts";
import { startOutboxRelay } from "../../../../jobs/host/outbox-relay/relay.ts";
import { startTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { connectMongo } from "../../../../store/mongo/driver/connect.ts";
import { connectRedis } from "../../../../store/redis/connect.ts";
import { hasFields, inputFromParent, sendToParent } from "../../../stress/parent.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { eventRecorderIn } from "../published-events.ts";
import { isOrderRequest, type Order, type WorkerInput } from "./orders.ts";

const isInput = (given: unknown): given is WorkerInput => hasFields(given, "database", "list", "role");
const { database, list, role } = inputFromParent(isInput);
const { MONGODB_URL = "", REDIS_URL = "" } = process.env;

const mongo = await connectMongo({ url: MONGODB_URL, database, selectionTimeoutMs: 5_000, maxPoolSize: 50 });
const redis = connectRedis({ url: REDIS_URL, deadlineMs: 5_000, onError: () => undefined });
await redis.connect();
const log = quietLog();
const { publishers } = eventRecorderIn(redis, list);
const actors = createActors({ mongo, redis, clock, log, meter: silentMeter(), ...publishers });
const { predictions, polls, points, host, outbox } = actors;

if (role === "jobs") {
  startTimerSweeper({ host, mongo, clock, log });
  startOutboxRelay({ outbox, log });
  startAbandonedTransactions({ mongo, log });
}

process.on("message", (message) => {
  if (!isOrderRequest(message)) return;
  const { id, order } = message;
  void answerTo(order).then((body) => sendToParent({ id, body }));
});
sendToParent({ ready: true });

async function answerTo(order: Order): Promise<string | null> {
  try {
    return JSON.stringify({ ok: await carryOut(order) });
  } catch (err) {
    // Anything but a refusal leaves the outcome unknown: the caller retries.
    if (!(err instanceof ServiceError) || err.code === "unavailable") return null;
    return JSON.stringify({ refused: err.code });
  }
}

async function carryOut(order: Order): Promise<unknown> {
  const { key } = order;
  switch (order.type) {
    case "open": {
      const stream = await streamsIn(mongo.db).find(order.streamId);
      if (!stream) throw new ServiceError("not_found");
      const outcomes = [{ title: "yes" }, { title: "no" }];
      const input = {
        stream,
        title: "Will it last?",
        outcomes,
        durationSeconds: 1_800,
        by: stream.userId,
        key,
      };
      const { _id, outcomes: made } = await predictions.open(input);
      return { id: _id, outcomes: made.map((outcome) => outcome.id) };
    }
    case "bet": {
      const { predictionId, outcomeId, amount, userId } = order;
      const { bet, balance } = await predictions.bet({ predictionId, outcomeId, amount, userId, key });
      return { staked: bet.amount, balance };
    }
    case "lock":
      return { status: (await predictions.lock(order.predictionId, order.by, key)).status };
    case "cancel":
      return { status: (await predictions.cancel(order.predictionId, order.by, key)).status };
    case "resolve": {
      const { predictionId, outcomeId, by } = order;
      return { status: (await predictions.resolve(predictionId, outcomeId, by, key)).status };
    }
    case "openPoll": {
      const stream = await streamsIn(mongo.db).find(order.streamId);
      if (!stream) throw new ServiceError("not_found");
      const input = { stream, question: "Which?", options: ["one", "two", "three"], durationSeconds: 1_800 };
      const { _id, options } = await polls.open({ ...input, by: stream.userId, key });
      return { id: _id, outcomes: options.map((option) => option.id) };
    }
    case "vote":
      return { voted: (await polls.vote(order.pollId, order.optionId, order.userId)).votedOptionId };
    case "endPoll":
      return { status: (await polls.end(order.pollId, order.by)).poll.status };
    case "earn": {
      const { userId, channelUserId, streamId } = order;
      const { entry } = await points.earnPresence({ userId, channelUserId, streamId, window: Number(key) });
      return { seq: entry.seq, balance: entry.balanceAfter };
    }
  }
}
