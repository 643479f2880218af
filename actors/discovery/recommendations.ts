import { blocksIn } from "../../store/mongo/blocks.ts";
import { followedChannelsIn } from "../../store/mongo/followed-channels.ts";
import { type Candidate, liveCandidatesIn } from "../../store/mongo/live-candidates.ts";
import { watchedTopicsIn } from "../../store/mongo/watched-topics.ts";
import type { FeatureDeps } from "../features/deps.ts";

/** How far each sign is looked after, and so the most that a list can have (docs/discovery.md). */
const POPULAR = 100;
const CATEGORIES = 5;
const OF_A_CATEGORY = 40;
const LANGUAGES = 2;
const OF_A_LANGUAGE = 60;
const IN_COMMON = 200;

/** What each sign is worth where it holds fully. */
const WORTH = { category: 3, language: 2, inCommon: 2, viewers: 0.5 } as const;

type Shares = ReadonlyMap<string, number>;

/** What is known of somebody: how much each sign counts, by category, language and channel. */
type Signs = { categories: Shares; languages: Shares; inCommon: Shares };

const NO_SIGNS: Signs = { categories: new Map(), languages: new Map(), inCommon: new Map() };

export type Recommendations = ReturnType<typeof createRecommendations>;

/** Live streams that somebody may like. */
export function createRecommendations({
  mongo,
  follows,
  clock,
}: Pick<FeatureDeps, "mongo" | "follows" | "clock">) {
  const live = liveCandidatesIn(mongo.db);
  const topics = watchedTopicsIn(mongo.db);
  const followed = followedChannelsIn(mongo.db);
  const blocks = blocksIn(mongo.db);

  async function signsOf(userId: string): Promise<Signs> {
    const [categories, languages, inCommon] = await Promise.all([
      topics.most(userId, "category", CATEGORIES),
      topics.most(userId, "language", LANGUAGES),
      followed.followedInCommon(userId, IN_COMMON),
    ]);
    const sharesOf = (most: { value: string; share: number }[]) =>
      new Map(most.map(({ value, share }) => [value, share]));
    return {
      categories: sharesOf(categories),
      languages: sharesOf(languages),
      inCommon: new Map(inCommon.map(({ channelId, by }) => [channelId, 1 - 2 ** -by])),
    };
  }

  async function candidatesOf(signs: Signs, now: Date): Promise<Candidate[]> {
    const found = await Promise.all([
      live.most(POPULAR, now),
      live.ofUsers([...signs.inCommon.keys()], now),
      ...[...signs.categories.keys()].map((id) => live.mostIn(id, OF_A_CATEGORY, now)),
      ...[...signs.languages.keys()].map((language) => live.mostSpeaking(language, OF_A_LANGUAGE, now)),
    ]);
    return [...new Map(found.flat().map((candidate) => [candidate._id, candidate])).values()];
  }

  /** Own, followed and blocked channels aren't news. */
  async function unknownTo(userId: string, candidates: Candidate[]): Promise<Candidate[]> {
    const owners = candidates.map((candidate) => candidate.userId);
    const [known, blocked] = await Promise.all([
      follows.followedOf(userId, owners),
      blocks.eitherWay(userId, owners),
    ]);
    return candidates.filter(
      ({ userId: owner }) => owner !== userId && !known.has(owner) && !blocked.has(owner),
    );
  }

  return {
    /** For anybody: what most watch, without what isn't for everybody. Best first, all of them. */
    async of(userId: string | null): Promise<Candidate[]> {
      const now = new Date(clock.now());
      const signs = userId === null ? NO_SIGNS : await signsOf(userId);
      const candidates = await candidatesOf(signs, now);
      const wanted =
        userId === null
          ? candidates.filter(({ isMature }) => !isMature)
          : await unknownTo(userId, candidates);
      const scored = wanted.map((candidate) => ({ candidate, score: scoreOf(candidate, signs) }));
      // Of equals always the same one first, so that pages fit together.
      scored.sort((a, b) => b.score - a.score || (a.candidate._id < b.candidate._id ? -1 : 1));
      return scored.map(({ candidate }) => candidate);
    },

    /** Those of the channels that somebody doesn't block and isn't blocked by. */
    async unblocked(userId: string, candidates: Candidate[]): Promise<Candidate[]> {
      const blocked = await blocks.eitherWay(
        userId,
        candidates.map((candidate) => candidate.userId),
      );
      return candidates.filter((candidate) => !blocked.has(candidate.userId));
    },
  };
}

/** By the viewers of the half minute, so that an order holds for as long as lists by viewers do. */
function scoreOf({ categoryId, language, userId, rank }: Candidate, signs: Signs): number {
  const share = (of: Shares, key: string | null) => (key === null ? 0 : (of.get(key) ?? 0));
  return (
    WORTH.category * share(signs.categories, categoryId) +
    WORTH.language * share(signs.languages, language) +
    WORTH.inCommon * share(signs.inCommon, userId) +
    WORTH.viewers * Math.log10(1 + rank)
  );
}
