/**
 * Pushes, from the row that is written together with their cause to the push service (mails.ts does the same for mails):
 * 1. BullMQ hands each row that is due to one of the jobs workers (jobs/notifications). It may hand one out twice or lose it.
 * 2. The row decides: a worker claims it for one try. Failures are retried with exponential back-off, or later when the service
 *    asks for it.
 * 3. Once a push has ended, its text is removed from the row. The row stays, so that the same message isn't created again.
 * Few requests at a time go to a service that doesn't answer (circuit-breaker.ts); the others fail at once and count as tries.
 * Delivery is at least once: a worker that dies after the service has accepted a push and before the row is ended sends it again.
 * The collapse id is the same, so a device shows the second in place of the first.
 */
import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type PushDoc, type PushEnd, pushesIn } from "../../../store/mongo/notifications/pushes.ts";
import { exponentialBackoff } from "../../host/exponential-backoff.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import { PUSH_METRICS } from "./metrics.ts";
import type { PushDevices } from "./push-devices.ts";
import type { PushAnswer } from "./sender.ts";
import { breakerKey, isKnownService, type PushSenders, serviceOf } from "./senders.ts";

const pauseAfter = exponentialBackoff(5_000, HOUR_MS);
/** With the back-off between them, tries span about two and a half hours. */
export const MAX_TRIES = 12;
/** How long a claim lasts; longer than a try can take. */
const TRY_MS = MINUTE_MS;
/** The delay of a push that its sender was too busy for; as long as a try may take. */
const CROWDED_MS = 10_000;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  meter: Meter;
  senders: PushSenders;
  devices: Pick<PushDevices, "reach" | "forget">;
  /** When the user's current quiet hours end; null outside of quiet hours. */
  quietUntil: (userId: string) => Promise<Date | null>;
};

export type Pushes = ReturnType<typeof createPushes>;

export function createPushes({ mongo, clock, log, meter, senders, devices, quietUntil }: Deps) {
  const pushes = pushesIn(mongo.db);
  const { pushes: count } = meter.record(PUSH_METRICS);
  const breaker = createCircuitBreaker();
  const outages = {
    web_push: createOutageLog(log, "browsers' push service"),
    apns: createOutageLog(log, "APNs"),
    fcm: createOutageLog(log, "FCM"),
  };
  const now = () => new Date(clock.now());

  async function end(doc: PushDoc, service: string, how: PushEnd, outcome: string = how): Promise<void> {
    await pushes.end(doc._id, how);
    count(1, { service, outcome });
  }

  async function failed(doc: PushDoc, service: string, why: unknown, afterMs: number | null): Promise<void> {
    const about = { err: why, push: doc._id, service, tries: doc.tries };
    const next = clock.now() + Math.max(afterMs ?? 0, pauseAfter(doc.tries - 1));
    if (doc.tries >= MAX_TRIES || (doc.message?.usefulUntil.getTime() ?? 0) <= next) {
      log.warn(about, "a push was given up");
      return end(doc, service, "given_up");
    }
    log.debug(about, "a push wasn't sent yet");
    count(1, { service, outcome: "failed" });
    await pushes.later(doc._id, new Date(next));
  }

  async function settle(doc: PushDoc, service: string, answer: PushAnswer, startedAt: Date): Promise<void> {
    switch (answer.outcome) {
      case "taken":
        return end(doc, service, "sent");
      case "gone":
        await devices.forget(doc.userId, doc.device, startedAt);
        return end(doc, service, "no_device", "gone");
      case "refused":
        // An error if our message, key or account may be wrong, so that an operator notices.
        log[answer.isOurs ? "error" : "warn"](
          { push: doc._id, service, why: answer.why },
          "a push was refused",
        );
        return end(doc, service, "given_up");
      case "crowded":
        return pushes.putOff(doc._id, new Date(clock.now() + CROWDED_MS));
      case "later":
        return failed(doc, service, answer.why, answer.afterMs);
    }
  }

  return {
    /** To be called in the transaction of their cause. */
    insert: pushes.insert,

    /** Whether any push service is configured. */
    canSend: Object.keys(senders).length > 0,

    /** The key with which browsers subscribe; null when web push isn't configured. */
    webPushKey: senders.web_push?.publicKey ?? null,

    /** Pushes that are due, each with the number of tries so far. */
    async due(limit: number): Promise<{ id: string; tries: number }[]> {
      return (await pushes.due(now(), limit)).map(({ _id: id, tries }) => ({ id, tries }));
    },

    /** Tries to send one push. Does nothing when it isn't due or another worker has claimed it. */
    async send(id: string): Promise<void> {
      const startedAt = now();
      const doc = await pushes.claim(id, startedAt, new Date(startedAt.getTime() + TRY_MS));
      if (!doc) return;
      const { message } = doc;
      if (!message || message.usefulUntil <= startedAt) return end(doc, "none", "late");
      const quiet = await quietUntil(doc.userId);
      if (quiet) return pushes.putOff(id, quiet);
      const device = await devices.reach(doc.userId, doc.device);
      if (!device) return end(doc, "none", "no_device");
      const service = serviceOf(device.deviceType, device.token);
      const sender = senders[service];
      if (!sender) return end(doc, service, "no_device");
      const outage = isKnownService(service, device.token) ? outages[service] : null;
      let answer: PushAnswer;
      try {
        answer = await breaker.ask(breakerKey(service, device.token), () =>
          sender.send(device.token, message),
        );
      } catch (err) {
        outage?.failed(err);
        return failed(doc, service, err, null);
      }
      if (answer.outcome !== "crowded") outage?.succeeded();
      await settle(doc, service, answer, startedAt);
    },

    /** Requests in flight fail; another worker retries them. */
    stop(): void {
      for (const sender of Object.values(senders)) sender.close();
    },
  };
}
