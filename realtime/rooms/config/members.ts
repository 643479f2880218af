import DataLoader from "dataloader";
import type { Db } from "mongodb";
import type { Clock } from "../../../store/clock.ts";
import { nullIfUnavailable } from "../../../store/failures/unavailable.ts";
import { badgeGrantsIn } from "../../../store/mongo/badge-grants.ts";
import { subscriptionsIn } from "../../../store/mongo/subscriptions.ts";
import { usersIn } from "../../../store/mongo/users.ts";

/** What a text's check asks of its author, beside the role in the room. */
export type MemberFacts = {
  /** Of the subscription to the channel, 0 without one. */
  tier: number;
  /** The e-mail address is. */
  isVerified: boolean;
  /** Ids of badges that were granted: the channel's, and special ones. */
  badges: string[];
};

/** Of somebody about whom nothing is to be had. */
const UNKNOWN_FACTS = "-";
/** So long those who speak for the first time wait for each other. */
const GATHER_MS = 3;
/** Members at a worker: about 10 MB. */
const MOST = 50_000;

const NOTHING: MemberFacts = { tier: 0, isVerified: false, badges: [] };

/** Words, since the script compares them as they are. */
function packFacts({ tier, isVerified, badges }: MemberFacts): string {
  return [tier, isVerified ? 1 : 0, ...badges].join(" ");
}

export function factsIn(packed: string): MemberFacts {
  if (packed === "" || packed === UNKNOWN_FACTS) return NOTHING;
  const [tier, isVerified, ...badges] = packed.split(" ");
  return { tier: Number(tier), isVerified: isVerified === "1", badges };
}

export type Member = {
  /** "" for none. */
  role: string;
  /** As `packFacts`; "" before the first look. */
  facts: string;
};

/** Of whom nothing is known yet. */
const NOBODY: Member = { role: "", facts: "" };

/**
 * What this worker takes members of rooms for. It needn't be right: admission compares it with what the room knows, and
 * answers with that.
 */
export class Members {
  /** The one that was used the longest ago first. */
  readonly #known = new Map<string, Member>();

  of(streamId: string, userId: string): Member {
    return this.#known.get(`${streamId} ${userId}`) ?? NOBODY;
  }

  remember(streamId: string, userId: string, member: Member): void {
    const key = `${streamId} ${userId}`;
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, member);
  }
}

/** Reads facts from MongoDB, packed; without it `UNKNOWN_FACTS`, so that chat goes on without badges and emotes. */
export function factsLoader({ mongo, clock }: { mongo: Db; clock: Clock }) {
  const users = usersIn(mongo);
  const subscriptions = subscriptionsIn(mongo);
  const grants = badgeGrantsIn(mongo);

  async function read(ownerId: string, userIds: readonly string[]): Promise<string[]> {
    const now = new Date(clock.now());
    const found = await nullIfUnavailable(() =>
      Promise.all([
        subscriptions.tiersOf(userIds, ownerId, now),
        users.withVerifiedEmail(userIds),
        grants.wornBy(userIds, ownerId, now),
      ]),
    );
    if (!found) return userIds.map(() => UNKNOWN_FACTS);
    const [tiers, verified, badges] = found;
    return userIds.map((userId) =>
      packFacts({
        tier: tiers.get(userId) ?? 0,
        isVerified: verified.has(userId),
        badges: badges.get(userId) ?? [],
      }),
    );
  }

  // Where many speak for the first time, as behind a raid, one query serves those who come together.
  const loader = new DataLoader<readonly [ownerId: string, userId: string], string>(
    async (asked) => {
      const byOwner = new Map<string, string[]>();
      for (const [ownerId, userId] of asked) byOwner.set(ownerId, [...(byOwner.get(ownerId) ?? []), userId]);
      const facts = new Map<string, string>();
      for (const [ownerId, userIds] of byOwner) {
        const packed = await read(ownerId, userIds);
        for (const [i, userId] of userIds.entries())
          facts.set(`${ownerId} ${userId}`, packed[i] ?? UNKNOWN_FACTS);
      }
      return asked.map(([ownerId, userId]) => facts.get(`${ownerId} ${userId}`) ?? UNKNOWN_FACTS);
    },
    { cache: false, maxBatchSize: 256, batchScheduleFn: (go) => void setTimeout(go, GATHER_MS) },
  );
  return (ownerId: string, userId: string): Promise<string> => loader.load([ownerId, userId]);
}
