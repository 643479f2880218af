/**
 * Pushes, from the row that is written with their cause to the service (mails.ts is the same for mails):
 * 1. BullMQ gives each row that is due to one of all jobs workers (jobs/pushes), and may give it twice or lose it;
 * 2. the row decides: a worker claims it for one try; what fails is tried again after a growing pause, or when the service says;
 * 3. once it has ended, its text is gone from the row; the row stays, so that its message isn't made again.
 * Of a service that doesn't answer few are tried at a time (silence.ts); the others fail at once, as if they had been.
 * A worker that dies between the service's yes and the row's end sends it again: at least once, under the same collapse id, by which a
 * device shows the second in the place of the first.
 */
import type { Clock } from "../../store/clock.ts";
import { growingPause } from "../../store/growing-pause.ts";
import type { Log } from "../../store/log.ts";
import type { Meter } from "../../store/metrics.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type PushDoc, type PushEnd, pushesIn } from "../../store/mongo/pushes.ts";
import { PUSH_METRICS } from "./metrics.ts";
import type { PushDevices } from "./push-devices.ts";
import type { PushAnswer } from "./sender.ts";
import { askedFor, type PushSenders, serviceOf } from "./senders.ts";
import { createSilence } from "./silence.ts";

const pauseAfter = growingPause(5_000, 3_600_000);
/** About three hours. */
export const MAX_TRIES = 12;
/** Longer than a try can take. */
const TRY_MS = 60_000;
/** What found no place, as long as a try may take. */
const CROWDED_MS = 10_000;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  meter: Meter;
  senders: PushSenders;
  devices: Pick<PushDevices, "reach" | "forget">;
  /** When the quiet hours end in which the user is; null when in none. */
  quietUntil: (userId: string) => Promise<Date | null>;
};

export type Pushes = ReturnType<typeof createPushes>;

export function createPushes({ mongo, clock, log, meter, senders, devices, quietUntil }: Deps) {
  const pushes = pushesIn(mongo.db);
  const { pushes: count } = meter.record(PUSH_METRICS);
  const silence = createSilence();
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

  async function settle(doc: PushDoc, service: string, answer: PushAnswer, begunAt: Date): Promise<void> {
    switch (answer.outcome) {
      case "taken":
        return end(doc, service, "sent");
      case "gone":
        await devices.forget(doc.userId, doc.device, begunAt);
        return end(doc, service, "no_device", "gone");
      case "refused":
        // Where it is our message, key or account that is wrong, somebody has to know.
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
    /** In the transaction of their cause. */
    insert: pushes.insert,

    /** Whether anything can be pushed from here. */
    canSend: Object.keys(senders).length > 0,

    /** What browsers subscribe with; null when nothing can be pushed to them. */
    webPushKey: senders.web_push?.publicKey ?? null,

    /** Those that are due, each with the try that it waits for. */
    async due(limit: number): Promise<{ id: string; tries: number }[]> {
      return (await pushes.due(now(), limit)).map(({ _id: id, tries }) => ({ id, tries }));
    },

    /** Tries one, unless it isn't due or somebody else does. */
    async send(id: string): Promise<void> {
      const begunAt = now();
      const doc = await pushes.claim(id, begunAt, new Date(begunAt.getTime() + TRY_MS));
      if (!doc) return;
      const { message } = doc;
      if (!message || message.usefulUntil <= begunAt) return end(doc, "none", "late");
      const quiet = await quietUntil(doc.userId);
      if (quiet) return pushes.putOff(id, quiet);
      const device = await devices.reach(doc.userId, doc.device);
      if (!device) return end(doc, "none", "no_device");
      const service = serviceOf(device.deviceType, device.token);
      const sender = senders[service];
      if (!sender) return end(doc, service, "no_device");
      let answer: PushAnswer;
      try {
        answer = await silence.ask(askedFor(service, device.token), () => sender.send(device.token, message));
      } catch (err) {
        return failed(doc, service, err, null);
      }
      await settle(doc, service, answer, begunAt);
    },

    /** What is under way fails, and is tried again by who goes on. */
    stop(): void {
      for (const sender of Object.values(senders)) sender.close();
    },
  };
}
