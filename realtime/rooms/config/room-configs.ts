import { nullIfUnavailable } from "../../../store/failures/unavailable.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { scriptAt } from "../../../store/redis/scripts/script.ts";
import { once } from "../../../store/single-flight.ts";
import { type EmoteSet, emoteSet, type RoomEmote } from "./emotes.ts";
import { type BlockedTerm, compileTerms, type TermSet } from "./terms.ts";
import { type Spend, timeShare } from "./time-share.ts";

/** What texts of one room are checked with, as it is stored. */
export type StoredConfig = {
  version: number;
  terms: BlockedTerm[];
  emotes: RoomEmote[];
  /** Ids of the channel's. */
  badges: string[];
};

/** The same, made ready. */
export type RoomConfig = { version: number; terms: TermSet; emotes: EmoteSet; badges: ReadonlySet<string> };

const shareConfig = scriptAt(new URL("../scripts/share-config.lua", import.meta.url));

/** With the time that the room's terms take, and what they hold. */
type Kept = RoomConfig & { spend: Spend; characters: number };

/** Of most rooms, which never set anything up: they need no look. */
const EMPTY: RoomConfig = readied({ version: 0, terms: [], emotes: [], badges: [] }, timeShare());

/** With a few hundred terms one takes some hundred KiB … */
const MOST = 1_000;
/** … with all that there may be some 4 MB, at about 6 bytes a character. */
const MOST_CHARACTERS = 40_000_000;
/** What an engine may take, as so many characters of words. */
const REGEX_CHARACTERS = 200_000;
/** As long as a room stays in Redis after its last event; the events renew it with the rest of the room. */
const SHARED_SECONDS = 25 * 3_600;

/**
 * Configurations of rooms, by version. Workers needn't be told of a change: admission says which version it needs, and
 * whoever has an older one looks again. What one worker has read is in Redis for the others, so that a room in use needs
 * MongoDB at no worker.
 */
export function createRoomConfigs(deps: {
  redis: RedisConnection;
  /** What it gives is at least as new as the version that it says. */
  load: (streamId: string) => Promise<StoredConfig>;
}) {
  const { redis, load } = deps;
  /** The one that was used the longest ago first. */
  const ready = new Map<string, Kept>();
  let characters = 0;
  const looking = new Map<string, Promise<RoomConfig>>();

  function forget(streamId: string): void {
    characters -= ready.get(streamId)?.characters ?? 0;
    ready.delete(streamId);
  }

  function remember(streamId: string, config: Kept): void {
    forget(streamId);
    for (const oldest of ready.keys()) {
      if (ready.size < MOST && characters + config.characters <= MOST_CHARACTERS) break;
      forget(oldest);
    }
    ready.set(streamId, config);
    characters += config.characters;
  }

  async function lookUp(streamId: string, least: number): Promise<RoomConfig> {
    const shared = await readShared(redis, streamId);
    const isEnough = shared !== null && shared.version >= least;
    const stored = isEnough ? shared : await load(streamId);
    if (!isEnough) await writeShared(redis, streamId, stored);
    // Terms that are changed all the time have no more than others, and making them ready counts as well.
    const spend = ready.get(streamId)?.spend ?? timeShare();
    const config = { ...spend(() => readied(stored, spend)), spend, characters: charactersOf(stored.terms) };
    remember(streamId, config);
    return config;
  }

  return {
    /** Of that version or a later one; 0 for whichever is at hand. Throws unavailable, not_found. */
    async of(streamId: string, least: number): Promise<RoomConfig> {
      const known = ready.get(streamId);
      if (known && known.version >= least) {
        remember(streamId, known);
        return known;
      }
      return least === 0 ? EMPTY : once(looking, `${streamId} ${least}`, () => lookUp(streamId, least));
    },
  };
}

function readied({ version, terms, emotes, badges }: StoredConfig, spend: Spend): RoomConfig {
  return { version, terms: compileTerms(terms, spend), emotes: emoteSet(emotes), badges: new Set(badges) };
}

export type RoomConfigs = ReturnType<typeof createRoomConfigs>;

function charactersOf(terms: readonly BlockedTerm[]): number {
  const regexes = terms.some(({ isRegex }) => isRegex) ? REGEX_CHARACTERS : 0;
  return terms.reduce((sum, { term }) => sum + term.length, regexes);
}

async function readShared(redis: RedisConnection, streamId: string): Promise<StoredConfig | null> {
  const text = await nullIfUnavailable(() => redis.get(keys.roomConfig(streamId)));
  // By `writeShared` alone: whoever changes its form changes the key.
  return text === null ? null : JSON.parse(text);
}

async function writeShared(redis: RedisConnection, streamId: string, config: StoredConfig): Promise<void> {
  const { version, ...rest } = config;
  // The script looks for the version at the beginning.
  const text = JSON.stringify({ version, ...rest });
  const args = [String(version), text, String(SHARED_SECONDS)];
  await nullIfUnavailable(() => shareConfig(redis, [keys.roomConfig(streamId)], args));
}
