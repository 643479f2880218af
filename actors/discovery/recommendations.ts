import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import { followedChannelsIn } from "../../store/mongo/channels/followed-channels.ts";
import { watchedTopicsIn } from "../../store/mongo/chat/watched-topics.ts";
import { type Candidate, liveCandidatesIn } from "../../store/mongo/live/live-candidates.ts";
import type { FeatureDeps } from "../features/deps.ts";

/** How many candidates are read per signal, which limits the length of a list (docs/discovery.md). */
const POPULAR = 100;
const CATEGORIES = 5;
const OF_A_CATEGORY = 40;
const LANGUAGES = 2;
const OF_A_LANGUAGE = 60;
const IN_COMMON = 200;

/** The weight of each signal at full strength. */
const WEIGHTS = { category: 3, language: 2, inCommon: 2, viewers: 0.5 } as const;

type Strengths = ReadonlyMap<string, number>;

/** A user's signals: strengths by category, language and channel. */
type Signals = { categories: Strengths; languages: Strengths; inCommon: Strengths };

/** A stream with the signal that counted most for it; null where viewers alone did. */
export type Recommendation = Candidate & { reason: "category" | "language" | "followed_in_common" | null };

const NO_SIGNALS: Signals = { categories: new Map(), languages: new Map(), inCommon: new Map() };

export type Recommendations = ReturnType<typeof createRecommendations>;

/** Recommends live streams. */
export function createRecommendations({
  mongo,
  follows,
  clock,
}: Pick<FeatureDeps, "mongo" | "follows" | "clock">) {
  const live = liveCandidatesIn(mongo.db);
  const topics = watchedTopicsIn(mongo.db);
  const followed = followedChannelsIn(mongo.db);
  const blocks = blocksIn(mongo.db);

  async function signalsOf(userId: string): Promise<Signals> {
    const [categories, languages, inCommon] = await Promise.all([
      topics.most(userId, "category", CATEGORIES),
      topics.most(userId, "language", LANGUAGES),
      followed.followedInCommon(userId, IN_COMMON),
    ]);
    const strengthsOf = (most: { value: string; share: number }[]) =>
      new Map(most.map(({ value, share }) => [value, share]));
    return {
      categories: strengthsOf(categories),
      languages: strengthsOf(languages),
      inCommon: new Map(inCommon.map(({ channelId, by }) => [channelId, 1 - 2 ** -by])),
    };
  }

  async function candidatesOf(signals: Signals, now: Date): Promise<Candidate[]> {
    const found = await Promise.all([
      live.most(POPULAR, now),
      live.ofUsers([...signals.inCommon.keys()], now),
      ...[...signals.categories.keys()].map((id) => live.mostIn(id, OF_A_CATEGORY, now)),
      ...[...signals.languages.keys()].map((language) => live.mostSpeaking(language, OF_A_LANGUAGE, now)),
    ]);
    return [...new Map(found.flat().map((candidate) => [candidate._id, candidate])).values()];
  }

  /** Leaves out the user's own, followed and blocked channels. */
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
    /** All recommendations, best first. Anonymous callers (null) get the most watched streams, without mature ones. */
    async of(userId: string | null): Promise<Recommendation[]> {
      const now = new Date(clock.now());
      const signals = userId === null ? NO_SIGNALS : await signalsOf(userId);
      const candidates = await candidatesOf(signals, now);
      const wanted =
        userId === null
          ? candidates.filter(({ isMature }) => !isMature)
          : await unknownTo(userId, candidates);
      const scored = wanted.map((candidate) => ({ candidate, ...scoreOf(candidate, signals) }));
      // A stable order for ties, so that pages are consistent.
      scored.sort((a, b) => b.score - a.score || (a.candidate._id < b.candidate._id ? -1 : 1));
      return scored.map(({ candidate, reason }) => ({ ...candidate, reason }));
    },

    /** Leaves out channels with a block between the owner and the user, either way. */
    async unblocked(userId: string, candidates: Candidate[]): Promise<Candidate[]> {
      const blocked = await blocks.eitherWay(
        userId,
        candidates.map((candidate) => candidate.userId),
      );
      return candidates.filter((candidate) => !blocked.has(candidate.userId));
    },
  };
}

/** Uses the viewer count of the current half minute, so that the order is stable for as long as that of lists by viewers. */
function scoreOf(
  { categoryId, language, userId, rank }: Candidate,
  signals: Signals,
): { score: number; reason: Recommendation["reason"] } {
  const share = (of: Strengths, key: string | null) => (key === null ? 0 : (of.get(key) ?? 0));
  const parts = [
    { reason: "category", points: WEIGHTS.category * share(signals.categories, categoryId) },
    { reason: "language", points: WEIGHTS.language * share(signals.languages, language) },
    { reason: "followed_in_common", points: WEIGHTS.inCommon * share(signals.inCommon, userId) },
  ] as const;
  const most = parts.reduce((best, part) => (part.points > best.points ? part : best));
  const own = parts.reduce((sum, { points }) => sum + points, 0);
  return {
    score: own + WEIGHTS.viewers * Math.log10(1 + rank),
    reason: most.points > 0 ? most.reason : null,
  };
}
