import { randomBytes } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { type Grant, isScope } from "../../../contract/scopes.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { SignedIn } from "./caller.ts";
import { hashToken } from "./refresh-tokens.ts";

export type TicketHolder = {
  userId: string;
  username: string;
  /** With a personal API token, the token's id. */
  sessionId: string;
  viaCookie: boolean;
  grant: Grant | null;
};

export const TICKET_SECONDS = 30;

function parse(stored: string): (TicketHolder & { expiresAt: number }) | null {
  const value: unknown = JSON.parse(stored);
  if (!Array.isArray(value)) return null;
  const [userId, username, sessionId, viaCookie, expiresAt, given = null]: unknown[] = value;
  if (typeof userId !== "string" || typeof username !== "string" || typeof sessionId !== "string")
    return null;
  if (typeof viaCookie !== "boolean" || typeof expiresAt !== "number") return null;
  const grant = given === null ? null : parseGrant(given);
  return grant === undefined ? null : { userId, username, sessionId, viaCookie, expiresAt, grant };
}

function parseGrant(value: unknown): Grant | undefined {
  if (!Array.isArray(value)) return undefined;
  const [scopes, expiresAt, streamId = null, written = null, overlayId = null]: unknown[] = value;
  if (!Array.isArray(scopes) || (expiresAt !== null && typeof expiresAt !== "number")) return undefined;
  if (streamId !== null && typeof streamId !== "string") return undefined;
  // Tickets of the release before have no kind; only tokens of embedded chats are for one stream.
  const kind = written ?? (streamId === null ? "personal" : "embed");
  if (kind !== "personal" && kind !== "embed" && kind !== "overlay") return undefined;
  if (overlayId !== null && typeof overlayId !== "string") return undefined;
  return {
    kind,
    scopes: scopes.filter(isScope),
    expiresAt,
    ...(streamId === null ? {} : { streamId }),
    ...(overlayId === null ? {} : { overlayId }),
  };
}

/**
 * Tickets that open one socket (docs/interface.md#5-authentication, rule 5): 256 random bits, stored by hash, read and deleted
 * atomically.
 */
export function createTickets({ redis, clock }: { redis: RedisConnection; clock: Clock }) {
  function holderIn(stored: string | null): TicketHolder | null {
    const found = stored === null ? null : parse(stored);
    if (!found || found.expiresAt <= clock.now()) return null;
    const { expiresAt: _, ...holder } = found;
    return holder;
  }

  return {
    /** Throws `unavailable` while Redis is unavailable. */
    async issue({ userId, username, sessionId, via, grant }: SignedIn): Promise<string> {
      const ticket = randomBytes(32).toString("base64url");
      const expiresAt = clock.now() + TICKET_SECONDS * 1_000;
      const within = grant && [
        grant.scopes,
        grant.expiresAt,
        ...[grant.streamId ?? null, grant.kind, grant.overlayId ?? null],
      ];
      const holder = JSON.stringify([userId, username, sessionId, via === "cookie", expiresAt, within]);
      await onRedis(() => redis.set(keys.ticket(hashToken(ticket)), holder, "EX", TICKET_SECONDS));
      return ticket;
    },

    /** Null when unknown, used or expired. Doesn't use the ticket up. Throws `unavailable` while Redis is unavailable. */
    find: async (ticket: string): Promise<TicketHolder | null> =>
      holderIn(await onRedis(() => redis.get(keys.ticket(hashToken(ticket))))),

    /** Like `find`, but uses the ticket up: of several callers one gets the holder. */
    redeem: async (ticket: string): Promise<TicketHolder | null> =>
      holderIn(await onRedis(() => redis.getdel(keys.ticket(hashToken(ticket))))),
  };
}

export type Tickets = ReturnType<typeof createTickets>;
