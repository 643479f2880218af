import { setInterval as every } from "node:timers/promises";
import { keys, SHARDS } from "../../../store/redis/keys.ts";
import { openRedis } from "../own-redis.ts";
import { end, forkOn, messageFrom } from "../processes.ts";
import type { AdmitterFigures, AdmitterSetting } from "../servers/admitter.ts";
import { EVERY_MODE, type Stage } from "../stage.ts";
import { madeTerms } from "./terms.ts";

const ADMITTER = new URL("../servers/admitter.ts", import.meta.url);
const ROOMS = 10;
/** Each may say one message a second, so it takes many to saturate anything. */
const SENDERS = 12_000;
const IN_FLIGHT = 64;
const TRIM_MS = 200;

type AdmissionRules = { everyMode: boolean; terms: number };

/** Admissions by one process that does nothing else, with every mode of a room or with none, and so many terms. */
export async function admissions(
  stage: Stage,
  { everyMode, terms }: AdmissionRules,
  ms: number,
): Promise<AdmitterFigures> {
  const redis = await openRedis();
  const trimming = new AbortController();
  try {
    const streams = await stage.rooms(ROOMS, everyMode ? EVERY_MODE : undefined);
    if (terms > 0) await stage.block(streams, madeTerms(terms));
    const senders = await stage.people(SENDERS);
    if (everyMode) {
      for (const [room, stream] of streams.entries())
        await stage.follow(
          senders.filter((_, i) => i % ROOMS === room),
          stream,
        );
    }
    const admitter = forkOn("servers", ADMITTER);
    const setting: AdmitterSetting = {
      mongodbUrl: stage.env.MONGODB_URL,
      database: stage.env.MONGODB_DATABASE,
      redisUrl: redis.url,
      redisPid: redis.pid,
      rooms: streams.map(({ _id }) => _id),
      senders,
      inFlight: IN_FLIGHT,
      ms,
    };
    const figures = messageFrom(admitter, (message) => (isFigures(message) ? message : null));
    admitter.send(setting);
    void trim();
    const measured = await figures;
    await end(admitter);
    return measured;
  } finally {
    trimming.abort();
    await redis.close();
  }

  /** What the archive does, which would otherwise be refused for its backlog. */
  async function trim(): Promise<void> {
    try {
      for await (const _ of every(TRIM_MS, null, { signal: trimming.signal })) {
        for (let shard = 0; shard < SHARDS; shard++)
          await redis.client.xtrim(keys.shardLive(shard), "MAXLEN", "~", 10_000);
      }
    } catch (err) {
      if (!trimming.signal.aborted) throw err;
    }
  }
}

function isFigures(message: unknown): message is AdmitterFigures {
  return typeof message === "object" && message !== null && "later" in message;
}
