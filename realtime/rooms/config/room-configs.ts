import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import { singleFlight } from "../../../base/single-flight.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { scriptAt } from "../../../store/redis/scripts/script.ts";
import { cpuBudget, type Spend } from "./cpu-budget.ts";
import { type EmoteSet, emoteSet, type RoomEmote } from "./emotes.ts";
import { type BlockedTerm, compileTerms, type TermSet } from "./terms.ts";

/** What texts of one room are checked with, as it is stored. */
export type StoredConfig = {
  version: number;
  terms: BlockedTerm[];
  emotes: RoomEmote[];
  /** Ids of the channel's badges. */
  badges: string[];
};

/** The same, compiled. */
export type RoomConfig = { version: number; terms: TermSet; emotes: EmoteSet; badges: ReadonlySet<string> };

const shareConfig = scriptAt(new URL("../scripts/share-config.lua", import.meta.url));

/** With the CPU budget of the room's terms, and their size. */
type CachedConfig = RoomConfig & { spend: Spend; characters: number };

/** For the many rooms that never configured anything: they need no lookup. */
const EMPTY: RoomConfig = compileConfig({ version: 0, terms: [], emotes: [], badges: [] }, cpuBudget());

/** With a few hundred terms a configuration takes some hundred KiB … */
const MAX_ROOMS = 1_000;
/** … and the largest possible one some 4 MB, at about 6 bytes a character. */
const MAX_CHARACTERS = 40_000_000;
/** What a regex engine may take, counted as characters of plain terms. */
const REGEX_CHARACTERS = 200_000;
/** As long as a room stays in Redis after its last event; the events renew the TTL with the rest of the room's keys. */
const SHARED_SECONDS = 25 * 3_600;

/**
 * Cached configurations of rooms, by version. No invalidation has to be sent to workers: admission says which version it needs,
 * and a worker that has an older one reloads. What one worker has loaded is shared with the others through Redis, so that
 * rooms in use don't load MongoDB from every worker.
 */
export function createRoomConfigs(deps: {
  redis: RedisConnection;
  /** The result is at least as new as the version that it states. */
  load: (streamId: string) => Promise<StoredConfig>;
}) {
  const { redis, load } = deps;
  /** Least recently used first. */
  const cache = new Map<string, CachedConfig>();
  let characters = 0;
  const inFlight = new Map<string, Promise<RoomConfig>>();

  function forget(streamId: string): void {
    characters -= cache.get(streamId)?.characters ?? 0;
    cache.delete(streamId);
  }

  function remember(streamId: string, config: CachedConfig): void {
    forget(streamId);
    for (const oldest of cache.keys()) {
      if (cache.size < MAX_ROOMS && characters + config.characters <= MAX_CHARACTERS) break;
      forget(oldest);
    }
    cache.set(streamId, config);
    characters += config.characters;
  }

  async function lookUp(streamId: string, least: number): Promise<RoomConfig> {
    const shared = await readShared(redis, streamId);
    const isNewEnough = shared !== null && shared.version >= least;
    const stored = isNewEnough ? shared : await load(streamId);
    if (!isNewEnough) await writeShared(redis, streamId, stored);
    // The budget survives reloads and compiling counts as well: terms that change all the time get no more than others.
    const spend = cache.get(streamId)?.spend ?? cpuBudget();
    const config = {
      ...spend(() => compileConfig(stored, spend)),
      spend,
      characters: charactersOf(stored.terms),
    };
    remember(streamId, config);
    return config;
  }

  return {
    /** A configuration of at least that version; 0: whichever is cached. Throws unavailable, not_found. */
    async of(streamId: string, least: number): Promise<RoomConfig> {
      const known = cache.get(streamId);
      if (known && known.version >= least) {
        remember(streamId, known);
        return known;
      }
      return least === 0
        ? EMPTY
        : singleFlight(inFlight, `${streamId} ${least}`, () => lookUp(streamId, least));
    },
  };
}

function compileConfig({ version, terms, emotes, badges }: StoredConfig, spend: Spend): RoomConfig {
  return { version, terms: compileTerms(terms, spend), emotes: emoteSet(emotes), badges: new Set(badges) };
}

export type RoomConfigs = ReturnType<typeof createRoomConfigs>;

function charactersOf(terms: readonly BlockedTerm[]): number {
  const regexes = terms.some(({ isRegex }) => isRegex) ? REGEX_CHARACTERS : 0;
  return terms.reduce((sum, { term }) => sum + term.length, regexes);
}

async function readShared(redis: RedisConnection, streamId: string): Promise<StoredConfig | null> {
  const text = await nullIfUnavailable(() => redis.get(keys.roomConfig(streamId)));
  // Written by `writeShared` only: a changed format needs another key.
  return text === null ? null : JSON.parse(text);
}

async function writeShared(redis: RedisConnection, streamId: string, config: StoredConfig): Promise<void> {
  const { version, ...rest } = config;
  // The script parses the version at the beginning of the JSON.
  const text = JSON.stringify({ version, ...rest });
  const args = [String(version), text, String(SHARED_SECONDS)];
  await nullIfUnavailable(() => shareConfig(redis, [keys.roomConfig(streamId)], args));
}
