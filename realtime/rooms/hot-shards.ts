import { shardOf } from "../../store/redis/keys.ts";

/** Events of one room in a second, from which on waiting for each by itself costs more than it gives. */
const HOT = 150;
/** A shard stays hot down to this, so that it doesn't change its reader all the time. */
const COOL = 75;
/** The other half of the 16 is always read at once. */
const MAX_SHARDS = 8;

/** Which shards have a room that is sent to in intervals anyway, so that reading them in intervals delays nothing. */
export class HotShards {
  readonly #counts = new Map<string, number>();
  #hot: ReadonlySet<number> = new Set();

  note(streamId: string): void {
    this.#counts.set(streamId, (this.#counts.get(streamId) ?? 0) + 1);
  }

  /** The hot shards by what was noted since the last call, `seconds` ago; when there are too many, those that were and the hottest. */
  judge(seconds: number): ReadonlySet<number> {
    const rates = new Map<number, number>();
    for (const [streamId, count] of this.#counts) {
      const shard = shardOf(streamId);
      rates.set(shard, Math.max(rates.get(shard) ?? 0, count / seconds));
    }
    this.#counts.clear();
    const hot = [...rates]
      .filter(([shard, rate]) => rate >= (this.#hot.has(shard) ? COOL : HOT))
      // Those that are hot stay, so that many alike don't alternate all the time.
      .sort(([a, rateA], [b, rateB]) => Number(this.#hot.has(b)) - Number(this.#hot.has(a)) || rateB - rateA)
      .slice(0, MAX_SHARDS);
    this.#hot = new Set(hot.map(([shard]) => shard));
    return this.#hot;
  }
}
