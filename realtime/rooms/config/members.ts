import { setTimeout as pause } from "node:timers/promises";
import DataLoader from "dataloader";
import type { Db } from "mongodb";
import type { Clock } from "../../../store/clock.ts";
import { nullIfUnavailable } from "../../../store/failures/unavailable.ts";
import { newId } from "../../../store/ids.ts";
import { isGone } from "../../../store/mongo/account-status.ts";
import { badgeGrantsIn } from "../../../store/mongo/badge-grants.ts";
import { blocksIn } from "../../../store/mongo/blocks.ts";
import { subscriptionsIn } from "../../../store/mongo/subscriptions.ts";
import { usersIn } from "../../../store/mongo/users.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { roleField } from "../state/state-hash.ts";

/** What a text's check needs to know about its author, besides the role in the room. */
export type MemberFacts = {
  /** Of the subscription to the channel, 0 without one. */
  tier: number;
  isEmailVerified: boolean;
  /** Whether the author may act as staff. */
  isStaff: boolean;
  /** Whether the channel's owner has blocked the author. */
  isBlocked: boolean;
  /** Whether the owner's account is banned or deleted. The room's state says so sooner, unless an older release loaded it. */
  isOwnerGone: boolean;
  /** Ids of granted badges: the channel's, and special ones. */
  badges: string[];
};

/** Packed facts while MongoDB is unavailable: not to be cached, since this is temporary. */
export const UNKNOWN_FACTS = "-";
/** The longest that a batch waits for the previous one, so that a batch that hangs doesn't delay those behind it. */
const MAX_WAIT_MS = 50;
/** Members per batch. */
const MAX_BATCH = 256;
/** Members cached per worker: about 10 MB. */
const MAX_MEMBERS = 50_000;

const NO_FACTS: MemberFacts = {
  tier: 0,
  isEmailVerified: false,
  isStaff: false,
  isBlocked: false,
  isOwnerGone: false,
  badges: [],
};
/** Bit flags of the second word. */
const FLAGS = { isEmailVerified: 1, isStaff: 2, isBlocked: 4, isOwnerGone: 8 } as const;

/** A string, since the script compares facts for equality. */
function packFacts({ tier, badges, ...account }: MemberFacts): string {
  const { isEmailVerified, isStaff, isBlocked, isOwnerGone } = FLAGS;
  const flags =
    (account.isEmailVerified ? isEmailVerified : 0) +
    (account.isStaff ? isStaff : 0) +
    (account.isBlocked ? isBlocked : 0) +
    (account.isOwnerGone ? isOwnerGone : 0);
  return [tier, flags, ...badges].join(" ");
}

export function unpackFacts(packed: string): MemberFacts {
  if (packed === "" || packed === UNKNOWN_FACTS) return NO_FACTS;
  const [tier, account, ...badges] = packed.split(" ");
  const has = (flag: keyof typeof FLAGS) => (Number(account) & FLAGS[flag]) !== 0;
  return {
    tier: Number(tier),
    isEmailVerified: has("isEmailVerified"),
    isStaff: has("isStaff"),
    isBlocked: has("isBlocked"),
    isOwnerGone: has("isOwnerGone"),
    badges,
  };
}

/** The refusal of a member who may not write in the room, whatever the room's rules; null for others. */
export function barredBy({ facts }: Member): "blocked" | "not_found" | null {
  const { isBlocked, isOwnerGone } = unpackFacts(facts);
  if (isOwnerGone) return "not_found";
  return isBlocked ? "blocked" : null;
}

type Lookup = readonly [ownerId: string, userId: string];

export type Member = {
  /** "" for none. */
  role: string;
  /** As `packFacts` returns them; "" when none are known. */
  facts: string;
};

/**
 * Members of rooms as this worker last saw them. The cache may be stale: admission compares it with what the room has, and
 * replies with that.
 */
export class Members {
  /** Least recently looked up first. */
  readonly #known = new Map<string, Member>();

  /** Undefined when this worker hasn't cached the user in that room. */
  of(streamId: string, userId: string): Member | undefined {
    return this.#known.get(`${streamId} ${userId}`);
  }

  remember(streamId: string, userId: string, member: Member): void {
    const key = `${streamId} ${userId}`;
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_MEMBERS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, member);
  }
}

/** What Redis has about a member; "" for each part that it lacks. Throws unavailable. */
export async function readMember(redis: RedisConnection, streamId: string, userId: string): Promise<Member> {
  const [role, facts] = await onRedis(() =>
    Promise.all([
      redis.hget(keys.roomState(streamId), roleField(userId)),
      redis.get(keys.roomMember(streamId, userId)),
    ]),
  );
  return { role: role ?? "", facts: facts ?? "" };
}

/**
 * The next message looks the member's facts up again. Not just deleted: facts that a worker looked up before this may be on their
 * way to Redis, and mustn't be cached (see publish.lua). Throws unavailable.
 */
export async function forgetFacts(redis: RedisConnection, streamId: string, userId: string): Promise<void> {
  await onRedis(() => redis.set(keys.roomMember(streamId, userId), `?${newId()}`, "EX", 120));
}

/** Loads facts from MongoDB, packed; `UNKNOWN_FACTS` while it is unavailable, so that chat goes on without badges and emotes. */
export function factsLoader({ mongo, clock }: { mongo: Db; clock: Clock }) {
  const users = usersIn(mongo);
  const subscriptions = subscriptionsIn(mongo);
  const grants = badgeGrantsIn(mongo);
  const blocks = blocksIn(mongo);

  let isUnavailable = false;
  let isProbing = false;

  /** Null while MongoDB is unavailable. */
  function load(ownerId: string, userIds: readonly string[]) {
    const now = new Date(clock.now());
    return nullIfUnavailable(() =>
      Promise.all([
        subscriptions.tiersOf(userIds, ownerId, now),
        users.authorFacts(userIds),
        grants.wornBy(userIds, ownerId, now),
        blocks.blockedBy(ownerId, userIds),
        users.loadStanding(ownerId),
      ]),
    );
  }

  /** One at a time, in the background. */
  async function probe(ownerId: string, userIds: readonly string[]): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    try {
      isUnavailable = (await load(ownerId, userIds)) === null;
    } catch {
      // Not an outage: the next caller gets the error.
      isUnavailable = false;
    }
    isProbing = false;
  }

  async function read(ownerId: string, userIds: readonly string[]): Promise<string[]> {
    const nothing = userIds.map(() => UNKNOWN_FACTS);
    if (isUnavailable) {
      void probe(ownerId, userIds);
      return nothing;
    }
    const found = await load(ownerId, userIds);
    isUnavailable = found === null;
    if (!found) return nothing;
    const [tiers, authors, badges, blocked, owner] = found;
    return userIds.map((userId) =>
      packFacts({
        tier: tiers.get(userId) ?? 0,
        isEmailVerified: authors.get(userId)?.isEmailVerified ?? false,
        isStaff: authors.get(userId)?.isStaff ?? false,
        isBlocked: blocked.has(userId),
        isOwnerGone: isGone(owner),
        badges: badges.get(userId) ?? [],
      }),
    );
  }

  async function readAll(lookups: readonly Lookup[]): Promise<string[]> {
    const byOwner = new Map<string, string[]>();
    for (const [ownerId, userId] of lookups) byOwner.set(ownerId, [...(byOwner.get(ownerId) ?? []), userId]);
    const facts = new Map<string, string>();
    await Promise.all(
      [...byOwner].map(async ([ownerId, userIds]) => {
        for (const [i, packed] of (await read(ownerId, userIds)).entries()) {
          facts.set(`${ownerId} ${userIds[i]}`, packed);
        }
      }),
    );
    return lookups.map(([ownerId, userId]) => facts.get(`${ownerId} ${userId}`) ?? UNKNOWN_FACTS);
  }

  // When many chat for the first time, as after a raid, one batch serves all who came while the previous one was running.
  let previous: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Lookup, string>(
    (lookups) => {
      const facts = readAll(lookups);
      previous = facts.catch(() => undefined);
      return facts;
    },
    {
      cache: false,
      maxBatchSize: MAX_BATCH,
      batchScheduleFn: (go) => void Promise.race([previous, pause(MAX_WAIT_MS)]).then(() => setImmediate(go)),
    },
  );
  return (ownerId: string, userId: string): Promise<string> => loader.load([ownerId, userId]);
}
