import { shardOf } from "../../store/redis/keys.ts";

/** Events per second of one room from which on waking up for each event costs more than it is worth. */
const HOT_RATE = 150;
/** A hot shard stays hot down to this rate (hysteresis), so that it doesn't change its reader all the time. */
const COOL_RATE = 75;
/** At least half of the 16 shards are always read immediately. */
const MAX_SHARDS = 8;

/** Shards with a room whose events are sent in intervals anyway, so that reading them in intervals adds no delay. */
export class HotShards {
  readonly #counts = new Map<string, number>();
  #hot: ReadonlySet<number> = new Set();

  note(streamId: string): void {
    this.#counts.set(streamId, (this.#counts.get(streamId) ?? 0) + 1);
  }

  /** Hot shards by the events noted since the last call, `seconds` ago; if too many, those already hot and the fastest. */
  judge(seconds: number): ReadonlySet<number> {
    const rates = new Map<number, number>();
    for (const [streamId, count] of this.#counts) {
      const shard = shardOf(streamId);
      rates.set(shard, Math.max(rates.get(shard) ?? 0, count / seconds));
    }
    this.#counts.clear();
    const hot = [...rates]
      .filter(([shard, rate]) => rate >= (this.#hot.has(shard) ? COOL_RATE : HOT_RATE))
      // Shards that are hot already stay, so that several of about the same rate don't alternate.
      .sort(([a, rateA], [b, rateB]) => Number(this.#hot.has(b)) - Number(this.#hot.has(a)) || rateB - rateA)
      .slice(0, MAX_SHARDS);
    this.#hot = new Set(hot.map(([shard]) => shard));
    return this.#hot;
  }
}
