import { newId } from "../../../base/ids.ts";
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
export function packFacts({ tier, badges, ...account }: MemberFacts): string {
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
