import { setTimeout as pause } from "node:timers/promises";
import DataLoader from "dataloader";
import type { Db } from "mongodb";
import type { Clock } from "../../../store/clock.ts";
import { nullIfUnavailable } from "../../../store/failures/unavailable.ts";
import { badgeGrantsIn } from "../../../store/mongo/badge-grants.ts";
import { subscriptionsIn } from "../../../store/mongo/subscriptions.ts";
import { usersIn } from "../../../store/mongo/users.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { roleField } from "../state/state-hash.ts";

/** What a text's check asks of its author, beside the role in the room. */
export type MemberFacts = {
  /** Of the subscription to the channel, 0 without one. */
  tier: number;
  isEmailVerified: boolean;
  /** Can act as staff. */
  isStaff: boolean;
  /** Ids of badges that were granted: the channel's, and special ones. */
  badges: string[];
};

/** Of somebody about whom nothing is to be had: not to be remembered, since it is only so for now. */
export const UNKNOWN_FACTS = "-";
/** So long a look-up waits for the one before at most: one that hangs delays none of those behind it for long. */
const WAITS_MS = 50;
/** Members of a look-up. */
const MOST_AT_ONCE = 256;
/** Members at a worker: about 10 MB. */
const MOST = 50_000;

const NOTHING: MemberFacts = { tier: 0, isEmailVerified: false, isStaff: false, badges: [] };
/** Of the second word, together. */
const EMAIL_VERIFIED = 1;
const STAFF = 2;

/** Words, since the script compares them as they are. */
function packFacts({ tier, isEmailVerified, isStaff, badges }: MemberFacts): string {
  return [tier, (isEmailVerified ? EMAIL_VERIFIED : 0) + (isStaff ? STAFF : 0), ...badges].join(" ");
}

export function factsIn(packed: string): MemberFacts {
  if (packed === "" || packed === UNKNOWN_FACTS) return NOTHING;
  const [tier, account, ...badges] = packed.split(" ");
  const has = (mark: number) => (Number(account) & mark) !== 0;
  return { tier: Number(tier), isEmailVerified: has(EMAIL_VERIFIED), isStaff: has(STAFF), badges };
}

type Asked = readonly [ownerId: string, userId: string];

export type Member = {
  /** "" for none. */
  role: string;
  /** As `packFacts`; "" for none that are known. */
  facts: string;
};

/**
 * What this worker takes members of rooms for. It needn't be right: admission compares it with what the room knows, and
 * answers with that.
 */
export class Members {
  /** The one that was looked up the longest ago first. */
  readonly #known = new Map<string, Member>();

  /** Undefined for whom this worker hasn't met there. */
  of(streamId: string, userId: string): Member | undefined {
    return this.#known.get(`${streamId} ${userId}`);
  }

  remember(streamId: string, userId: string, member: Member): void {
    const key = `${streamId} ${userId}`;
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, member);
  }
}

/** What a room has of a member; "" for what it hasn't. Throws unavailable. */
export async function readMember(redis: RedisConnection, streamId: string, userId: string): Promise<Member> {
  const [role, facts] = await onRedis(() =>
    Promise.all([
      redis.hget(keys.roomState(streamId), roleField(userId)),
      redis.get(keys.roomMember(streamId, userId)),
    ]),
  );
  return { role: role ?? "", facts: facts ?? "" };
}

/** Reads facts from MongoDB, packed; without it `UNKNOWN_FACTS`, so that chat goes on without badges and emotes. */
export function factsLoader({ mongo, clock }: { mongo: Db; clock: Clock }) {
  const users = usersIn(mongo);
  const subscriptions = subscriptionsIn(mongo);
  const grants = badgeGrantsIn(mongo);

  let isAway = false;
  let isProbing = false;

  /** Null while MongoDB is unavailable. */
  function look(ownerId: string, userIds: readonly string[]) {
    const now = new Date(clock.now());
    return nullIfUnavailable(() =>
      Promise.all([
        subscriptions.tiersOf(userIds, ownerId, now),
        users.authorFacts(userIds),
        grants.wornBy(userIds, ownerId, now),
      ]),
    );
  }

  /** One at a time, for which nobody waits. */
  async function probe(ownerId: string, userIds: readonly string[]): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    try {
      isAway = (await look(ownerId, userIds)) === null;
    } catch {
      // Something else than unavailable: whoever asks next hears of it.
      isAway = false;
    }
    isProbing = false;
  }

  async function read(ownerId: string, userIds: readonly string[]): Promise<string[]> {
    const nothing = userIds.map(() => UNKNOWN_FACTS);
    if (isAway) {
      void probe(ownerId, userIds);
      return nothing;
    }
    const found = await look(ownerId, userIds);
    isAway = found === null;
    if (!found) return nothing;
    const [tiers, authors, badges] = found;
    return userIds.map((userId) =>
      packFacts({
        tier: tiers.get(userId) ?? 0,
        isEmailVerified: authors.get(userId)?.isEmailVerified ?? false,
        isStaff: authors.get(userId)?.isStaff ?? false,
        badges: badges.get(userId) ?? [],
      }),
    );
  }

  async function readAll(asked: readonly Asked[]): Promise<string[]> {
    const byOwner = new Map<string, string[]>();
    for (const [ownerId, userId] of asked) byOwner.set(ownerId, [...(byOwner.get(ownerId) ?? []), userId]);
    const facts = new Map<string, string>();
    await Promise.all(
      [...byOwner].map(async ([ownerId, userIds]) => {
        for (const [i, packed] of (await read(ownerId, userIds)).entries()) {
          facts.set(`${ownerId} ${userIds[i]}`, packed);
        }
      }),
    );
    return asked.map(([ownerId, userId]) => facts.get(`${ownerId} ${userId}`) ?? UNKNOWN_FACTS);
  }

  // Where many speak for the first time, as behind a raid, one look-up serves those who came during the one before.
  let before: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Asked, string>(
    (asked) => {
      const facts = readAll(asked);
      before = facts.catch(() => undefined);
      return facts;
    },
    {
      ...{ cache: false, maxBatchSize: MOST_AT_ONCE },
      batchScheduleFn: (go) => void Promise.race([before, pause(WAITS_MS)]).then(() => setImmediate(go)),
    },
  );
  return (ownerId: string, userId: string): Promise<string> => loader.load([ownerId, userId]);
}
