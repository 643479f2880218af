import type { ClientSession } from "mongodb";
import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import type { Grant, Scope } from "../../../contract/scopes.ts";
import { type ApiTokenDoc, apiTokensIn } from "../../../store/mongo/accounts/api-tokens.ts";
import { sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { CursorPage, Range } from "../../../store/mongo/driver/page.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { Mails } from "../../mail/mails.ts";
import { createLastUses } from "./last-uses.ts";
import { lookUpHash, newSecret } from "./secret.ts";

const MAX_TOKENS = 50;
/** Lifetime of tokens for the chat embedded in a site. */
const SITE_TOKEN_MS = 4 * HOUR_MS;
/** Ten years. */
const MAX_LIFETIME_MS = 3_653 * DAY_MS;
/** Of a token for the chat embedded in a site: it doesn't vote. */
const SITE_SCOPES: readonly Scope[] = ["chat:read", "chat:send"];
const DEFAULT_SCOPES: readonly Scope[] = ["chat:read", "chat:send"];
/**
 * TTL of the cache of tokens. A cached token is valid without a look-up, like an access token, since the feeds of endings and
 * renames reach back further than this.
 */
const KNOWN_MS = 600_000;
const MAX_KNOWN = 10_000;

type NewApiToken = { name: string; scopes?: readonly Scope[]; expiresAt?: Date | null };

/**
 * Of an overlay's token: it reads the room of its channel and, if it shows alerts, who follows it. REST takes it only where overlays
 * are declared (`x-access.overlay`), whatever its scopes are.
 */
const OVERLAY_SCOPES: readonly Scope[] = ["chat:read"];
const ALERT_SCOPES: readonly Scope[] = ["chat:read", "channel:read"];

/** `site`: host of the page; without `streamId` (pages of the release before), the token is for all chats. */
type ChatEmbed = { site: string; streamId?: string };

type Creator = { userId: string; sessionId: string };
type Issued = { doc: ApiTokenDoc; token: string; replaced: readonly string[] };

type Known = { tokenId: string; userId: string; username: string; grant: Grant };

type Deps = {
  mongo: Mongo;
  users: Users;
  revocations: { note(ended: { _id: string; userId: string; endReason: "ended" }): void };
  /** Rejects when that session has ended. */
  requireSession: (sessionId: string, session: ClientSession) => Promise<void>;
  /** Never rejects. */
  announce: (ended: { userId: string; sessionId: string; reason: "ended" }) => Promise<void>;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
  log: Log;
};

export type ApiTokens = ReturnType<typeof createApiTokens>;

/**
 * Personal API tokens: secrets that act for their user within their scopes. For everything that follows endings (other
 * workers, rooms, sockets), a token is a session with the token's id.
 */
export function createApiTokens(deps: Deps) {
  const { mongo, users, revocations, requireSession, announce, mails, audit, clock, log } = deps;
  const tokens = apiTokensIn(mongo.db);
  const sessions = sessionsIn(mongo.db);
  const lastUses = createLastUses({ tokens, clock, log });
  /** A cache by hash, oldest first. */
  const known = new Map<string, Known & { until: number }>();

  async function lookUp(hash: string): Promise<Known> {
    const found = await tokens.findByHash(hash);
    if (!found) throw new ServiceError("invalid_token");
    requireActive(found);
    const user = await users.findPublic(found.userId);
    if (user?.status !== "active")
      throw new ServiceError(user?.status === "banned" ? "account_banned" : "invalid_token");
    const { _id: tokenId, userId, scopes, site, streamId, overlayId } = found;
    const kindOfOthers = site === undefined ? "personal" : "embed";
    const grant: Grant = {
      kind: overlayId === undefined ? kindOfOthers : "overlay",
      scopes,
      expiresAt: found.expiresAt?.getTime() ?? null,
      ...(streamId === undefined ? {} : { streamId }),
      ...(overlayId === undefined ? {} : { overlayId }),
    };
    return { tokenId, userId, username: user.username, grant };
  }

  function remember(hash: string, entry: Known): void {
    known.delete(hash);
    known.set(hash, { ...entry, until: clock.now() + KNOWN_MS });
    if (known.size <= MAX_KNOWN) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      return;
    }
  }

  async function find(hash: string): Promise<Known> {
    const before = known.get(hash);
    if (before && before.until > clock.now()) return before;
    const found = await lookUp(hash);
    remember(hash, found);
    return found;
  }

  /** Only mails verified addresses, in the transaction that creates the token. */
  async function mailCreated(user: UserDoc, doc: ApiTokenDoc, session: ClientSession): Promise<void> {
    if (!user.emailVerifiedAt) return;
    const { email: to, username, _id: userId } = user;
    const data = { username, prefix: doc.prefix, at: doc.createdAt.toISOString() };
    const key = `api_token:${doc._id}`;
    await mails.request({ key, template: "api_token_created", to, userId, data }, session);
  }

  type Wanted = Required<NewApiToken> & { embed?: ChatEmbed };

  /** See `create`. A token for an embedded chat also ends the user's earlier ones for it, in the same commit. */
  async function make({ embed, ...wanted }: Wanted, { userId, sessionId }: Creator, origin: Origin) {
    const now = new Date(clock.now());
    const { token, shown, hash } = newSecret();
    const doc: ApiTokenDoc = {
      _id: newId(),
      userId,
      name: wanted.name,
      prefix: shown,
      hash,
      createdAt: now,
      scopes: [...wanted.scopes],
      expiresAt: wanted.expiresAt,
      ...(embed ? { ...embed, sessionId } : {}),
      lastUsedAt: null,
      endedAt: null,
      endReason: null,
    };
    const replaced = await inTransaction(mongo.client, async (session) => {
      const expected = { status: "active" as const };
      const user = await users.update(userId, { $inc: { apiTokensVersion: 1 } }, { session, expected });
      if (!user) throw new ServiceError("invalid_token");
      // A session may end by itself, which doesn't write the account, and then ends its tokens for embedded chats.
      if (embed && !(await sessions.noteToken(sessionId, session))) throw new ServiceError("invalid_token");
      await requireSession(sessionId, session);
      if (user.isStaff) throw new ServiceError("forbidden");
      const before = embed ? await tokens.endOfSite(userId, embed.site, embed.streamId ?? null, session) : [];
      if ((await tokens.countActive(userId, now, MAX_TOKENS, session)) >= MAX_TOKENS)
        throw new ServiceError("limit_reached", { limit: MAX_TOKENS });
      await tokens.insert(doc, session);
      // No mail for a site's token: the owner has just agreed in its window, and it expires soon.
      if (!embed) await mailCreated(user, doc, session);
      return before;
    });
    await announceIssued({ doc, token, replaced }, userId, origin);
    return { doc, token };
  }

  async function announceIssued({ doc, replaced }: Issued, userId: string, origin: Origin): Promise<void> {
    audit("api_token.created", { userId, origin }, { grantId: doc._id, scopes: doc.scopes.join(" ") });
    for (const tokenId of replaced) await announceEnded(tokenId, userId, origin);
  }

  /** Audits and announces an ending that is already stored. */
  async function announceEnded(tokenId: string, userId: string, origin: Origin): Promise<void> {
    audit("api_token.ended", { userId, origin }, { grantId: tokenId, accountId: userId, reason: "removed" });
    revocations.note({ _id: tokenId, userId, endReason: "ended" });
    await announce({ userId, sessionId: tokenId, reason: "ended" });
  }

  return {
    /**
     * The token's user and scopes. The caller must check for endings within the last minutes, as with access tokens. Throws
     * invalid_token, account_banned.
     */
    async verify(token: string): Promise<Known> {
      const hash = lookUpHash(token);
      if (hash === null) throw new ServiceError("invalid_token");
      const found = await find(hash);
      const { expiresAt } = found.grant;
      if (expiresAt !== null && expiresAt <= clock.now()) throw new ServiceError("invalid_token");
      return found;
    },
    /** Call it after all checks of the token have passed. */
    noteUse: lastUses.note,

    /**
     * Only this answer contains the token. Creations of one user's tokens conflict with each other, with a ban of the account and
     * with anything that ends all of its sessions, since all of these write the account. Throws invalid_token when the session
     * has ended, limit_reached, and forbidden for staff: a token would be staff without a second factor.
     */
    async create(
      { name, scopes = [], expiresAt = null }: NewApiToken,
      creator: Creator,
      origin: Origin,
    ): Promise<{ doc: ApiTokenDoc; token: string }> {
      if (expiresAt !== null) requireExpiry(expiresAt, new Date(clock.now()));
      return make(
        { name, scopes: scopes.length === 0 ? DEFAULT_SCOPES : scopes, expiresAt },
        creator,
        origin,
      );
    },

    /**
     * Like `create`, for a channel's chat embedded in a site's pages; replaces the user's previous token for that. It ends with the
     * session that made it.
     */
    createForEmbed: (
      embed: ChatEmbed,
      creator: Creator,
      origin: Origin,
    ): Promise<{ doc: ApiTokenDoc; token: string }> =>
      make(
        {
          name: `Chat on ${embed.site}`,
          embed,
          scopes: SITE_SCOPES,
          expiresAt: new Date(clock.now() + SITE_TOKEN_MS),
        },
        creator,
        origin,
      ),

    /**
     * The token of an overlay's link, in the transaction that writes the overlay; replaces the one before. Once that is committed, pass
     * it to `announceIssued`. Staff may have them: they open nothing that staff alone see. Throws invalid_token when the session has ended.
     */
    async issueForOverlay(
      {
        showsActivity,
        ...overlay
      }: Pick<Required<ApiTokenDoc>, "overlayId" | "streamId" | "name"> & {
        showsActivity: boolean;
      },
      { userId, sessionId }: Creator,
      session: ClientSession,
    ): Promise<Issued> {
      const expected = { status: "active" as const };
      const user = await users.update(userId, { $inc: { apiTokensVersion: 1 } }, { session, expected });
      if (!user) throw new ServiceError("invalid_token");
      await requireSession(sessionId, session);
      const replaced = await tokens.endOfOverlay(userId, overlay.overlayId, session);
      const { token, shown, hash } = newSecret();
      const doc: ApiTokenDoc = {
        _id: newId(),
        userId,
        ...overlay,
        prefix: shown,
        hash,
        scopes: [...(showsActivity ? ALERT_SCOPES : OVERLAY_SCOPES)],
        createdAt: new Date(clock.now()),
        lastUsedAt: null,
        expiresAt: null,
        endedAt: null,
        endReason: null,
      };
      await tokens.insert(doc, session);
      return { doc, token, replaced };
    },
    announceIssued,
    announceEnded,

    page: (userId: string, range: Range): Promise<CursorPage<ApiTokenDoc>> =>
      tokens.pageOfActive(userId, new Date(clock.now()), range),

    /** Throws not_found unless it is an active token of that user. */
    async remove(tokenId: string, userId: string, origin: Origin): Promise<void> {
      if (!(await tokens.end(tokenId, userId))) throw new ServiceError("not_found");
      await announceEnded(tokenId, userId, origin);
    },

    /** Ends all tokens of that user. Conflicts with creations, as `create` says. Throws invalid_token when the session has ended. */
    async removeAll({ userId, sessionId }: Creator, origin: Origin): Promise<void> {
      const ended = await inTransaction(mongo.client, async (session) => {
        const expected = { status: "active" as const };
        const user = await users.update(userId, { $inc: { apiTokensVersion: 1 } }, { session, expected });
        if (!user) throw new ServiceError("invalid_token");
        await requireSession(sessionId, session);
        return tokens.endAll(userId, "ended", session);
      });
      for (const tokenId of ended) await announceEnded(tokenId, userId, origin);
    },

    stop: lastUses.stop,
  };
}

/** A leap second is a valid date-time by its form, but an invalid `Date`: its `left` is NaN, which is refused here. */
function requireExpiry(expiresAt: Date, now: Date): void {
  const left = expiresAt.getTime() - now.getTime();
  if (left > 0 && left <= MAX_LIFETIME_MS) return;
  const [rule, message] =
    left <= 0 ? ["minimum", "must be in the future"] : ["maximum", "must be within ten years"];
  throw invalid({ path: "/body/expires_at", rule, message });
}

function requireActive({ endedAt, endReason }: ApiTokenDoc): void {
  if (endedAt !== null) throw new ServiceError(endReason === "banned" ? "account_banned" : "invalid_token");
}
