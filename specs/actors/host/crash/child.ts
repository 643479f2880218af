/** The process that dies: runs one scenario and kills itself at the given point. */
import { createActors } from "../../../../actors/actors.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { createOutboxSweep } from "../../../../jobs/host/outbox-relay/relay.ts";
import { createTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import { type StreamDoc, streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { connectMongo } from "../../../../store/mongo/driver/connect.ts";
import { connectRedis } from "../../../../store/redis/connect.ts";
import { hasFields, inputFromParent } from "../../../stress/parent.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { payingOf } from "../../monetization/payments/paying.ts";
import { eventRecorderIn } from "../published-events.ts";
import { type Input, isTask, type Task } from "./messages.ts";
import { Points, tapMongo, tapRedis } from "./points.ts";
import { answerTo, type Step } from "./scenario.ts";
import { LONG_SCENARIOS, SCENARIOS } from "./scenarios.ts";

const input = inputFromParent((given: unknown): given is Input => hasFields(given, "database", "list"));
const { MONGODB_URL = "", REDIS_URL = "" } = process.env;

const mongo = await connectMongo({
  url: MONGODB_URL,
  database: input.database,
  selectionTimeoutMs: 5_000,
  maxPoolSize: 20,
  monitorCommands: true,
});
const redis = connectRedis({ url: REDIS_URL, deadlineMs: 5_000, onError: () => undefined });
await redis.connect();

process.once("message", (message) => {
  if (!isTask(message)) throw new Error("this is no task");
  void go(message);
});
await send({ ready: true });

/** Resolves when the message is flushed, so that it isn't lost when the process dies right after. */
function send(message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (err) => (err ? reject(err) : resolve()));
  });
}

async function go({ scenario: name, stage, now, dieAt }: Task): Promise<void> {
  const points = new Points(dieAt);
  tapMongo(mongo.client, points);
  tapRedis(redis, points);
  const time = { now };
  const clock = { now: () => time.now };
  const log = quietLog();
  const { publishers } = eventRecorderIn(redis, input.list);
  const own = createActors({ mongo, redis, clock, log, meter: silentMeter(), ...publishers });
  const actors = { ...own, paying: payingOf({ mongo, clock, log, actors: own }) };
  const sweeper = createTimerSweeper({ host: actors.host, mongo, clock, log });
  const relay = createOutboxSweep({ outbox: actors.outbox });
  const stream = await streamsIn(mongo.db).find(stage.stream._id);
  const scenario = [...SCENARIOS, ...LONG_SCENARIOS].find((one) => one.name === name);
  if (!scenario || !stream) throw new Error("the stage isn't set");
  for (const step of scenario.steps(stage)) {
    points.phase = step.phase;
    await take(step, stream);
  }
  points.phase = null;
  await send({ passed: points.passed, errors: log.errors.length });
  process.disconnect();

  async function take({ asks = [], passMs = 0, relay: relays }: Step, stream: StreamDoc): Promise<void> {
    await Promise.all(
      asks.map(async (ask) => {
        const answer = await answerTo(ask, actors, stream);
        await send({ answered: ask.name, answer });
        points.reached("answered");
      }),
    );
    time.now += passMs;
    // A phase whose time comes to nothing would be killed nowhere, and shown as safe.
    if (passMs > 0 && !relays && (await sweeper.tick()) === 0)
      throw new Error(`no timer is due after "${points.phase}"`);
    if (relays) await relay.tick();
    await actors.host.idle();
  }
}
