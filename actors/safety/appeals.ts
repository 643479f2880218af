import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Audit } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { isDuplicateKey } from "../../store/failures/mongo.ts";
import { newId } from "../../store/ids.ts";
import { accountBansIn } from "../../store/mongo/account-bans.ts";
import { type AppealDoc, type AppealSubject, appealsIn, claimOf } from "../../store/mongo/appeals.ts";
import { channelPeopleIn, isInForce } from "../../store/mongo/channel-people.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { moderationActionsIn, STAFF_ACTOR } from "../../store/mongo/moderation-actions.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { strikesIn } from "../../store/mongo/strikes.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { changeRoom } from "../channels/room-changes.ts";
import type { Outbox } from "../host/outbox.ts";
import { standingIn } from "../identity/account-standing.ts";
import type { Identity } from "../identity/identity.ts";
import { changeOf } from "../moderation/moderation-log.ts";
import type { ByStaff } from "./sanctions.ts";

type Deps = {
  mongo: Mongo;
  streams: Streams;
  outbox: Pick<Outbox, "write" | "publish">;
  identity: Pick<Identity, "usersByIds">;
  audit: Audit;
  clock: Clock;
};

export type NewAppeal = { userId: string; subjectType: AppealSubject; subjectId: string; message: string };

/** What granting an appeal brought about, for the audit log and the room. */
type Undone = { audited: "account.unbanned" | "strike.revoked" | null; room: string | null };
const NOTHING: Undone = { audited: null, room: null };

/** Appeals: claimed once, decided once; granting one undoes what it is about, in the same commit. */
export function createAppeals({ mongo, streams, outbox, identity, audit, clock }: Deps) {
  const { db, client } = mongo;
  const appeals = appealsIn(db);
  const bans = accountBansIn(db);
  const strikes = strikesIn(db);
  const people = channelPeopleIn(db);
  const actions = moderationActionsIn(db);
  const standing = standingIn(db);
  const now = () => new Date(clock.now());

  /** Whether it is the user's, and in force. */
  async function hasSubject({ userId, subjectType, subjectId }: NewAppeal): Promise<boolean> {
    switch (subjectType) {
      case "ban": {
        const ban = await bans.find(subjectId);
        return ban?.userId === userId && ban.isCurrent;
      }
      case "strike": {
        const strike = await strikes.find(subjectId);
        return strike?.userId === userId && strike.revokedAt === null && strike.expiresAt > now();
      }
      case "chat_ban": {
        const ban = await people.banOf(subjectId, userId);
        return ban?.reportId !== undefined && isInForce(ban, now());
      }
    }
  }

  /** In the room of a stream; a ban that the channel itself has set since stays. */
  async function liftChatBan(streamId: string, userId: string, session: ClientSession): Promise<Undone> {
    const { rows } = await changeRoom({ streamId, streams, session }, async (stream) => {
      const present = await people.banOf(streamId, userId, session);
      if (present?.reportId === undefined) return { news: [] };
      await people.dropBan(streamId, userId, "timeout", session);
      const entry = {
        ...{ _id: newId(), streamId, roomId: stream.roomId, actorId: STAFF_ACTOR, targetId: userId },
        ...{ action: "untimeout" as const, reason: null, durationSeconds: null, createdAt: now() },
      };
      const change = { log: [entry], effects: [{ kind: "unban" as const, userId }] };
      return changeOf({ actions, usersByIds: identity.usersByIds }, change, session);
    });
    await outbox.write(rows, session);
    return { audited: null, room: rows[0]?.actor ?? null };
  }

  async function undo(
    { userId, subjectType, subjectId }: AppealDoc,
    { userId: by }: ByStaff,
    at: Date,
    session: ClientSession,
  ): Promise<Undone> {
    switch (subjectType) {
      case "ban": {
        const current = await bans.currentOf(userId, session);
        const isBack = current?._id === subjectId && (await standing.unban({ userId, by, at }, session));
        return isBack ? { audited: "account.unbanned", room: null } : NOTHING;
      }
      case "strike": {
        const what = { strikeId: subjectId, userId, by, at };
        const { revoked } = await standing.revokeStrike(what, session);
        return revoked ? { audited: "strike.revoked", room: null } : NOTHING;
      }
      case "chat_ban":
        return liftChatBan(subjectId, userId, session);
    }
  }

  /** Nobody handles an appeal of their own. Whose it is never changes. */
  async function requireOthers(appealId: string, { userId }: ByStaff): Promise<void> {
    if ((await appeals.find(appealId))?.userId === userId) throw new ServiceError("self_target");
  }

  /** Why it can't be handled: it is gone, decided, with somebody else, or with nobody. */
  async function refusalOf(appealId: string, { userId }: ByStaff, isClaim: boolean): Promise<ServiceError> {
    const appeal = await appeals.find(appealId);
    if (!appeal) return new ServiceError("not_found");
    const isMine = claimOf(appeal, now())?.by === userId;
    if (appeal.isOpen && !isClaim && !isMine) return new ServiceError("not_claimed");
    return new ServiceError("invalid_state", { status: appeal.status });
  }

  async function noted(
    appeal: AppealDoc | null,
    id: string,
    by: ByStaff,
    action: string,
  ): Promise<AppealDoc> {
    if (!appeal) throw await refusalOf(id, by, action === "claim");
    audit("appeal.handled", by, { appealId: id, accountId: appeal.userId, action });
    return appeal;
  }

  return {
    /** Throws `not_found` for what isn't the user's or isn't in force, `appeal_open`. */
    async appeal(appeal: NewAppeal): Promise<AppealDoc> {
      if (!(await hasSubject(appeal))) throw new ServiceError("not_found");
      const doc: AppealDoc = {
        _id: newId(),
        ...appeal,
        status: "open",
        isOpen: true,
        claimedBy: null,
        claimedAt: null,
        note: null,
        decidedBy: null,
        decidedAt: null,
        createdAt: now(),
      };
      try {
        await appeals.insert(doc);
      } catch (err) {
        if (isDuplicateKey(err)) throw new ServiceError("appeal_open", undefined, { cause: err });
        throw err;
      }
      return doc;
    },

    pageOf: appeals.pageOf,
    page: appeals.page,

    /** Throws `not_found`, `invalid_state`, `self_target`. */
    async claim(appealId: string, by: ByStaff) {
      await requireOthers(appealId, by);
      return noted(await appeals.claim(appealId, by.userId, now()), appealId, by, "claim");
    },
    /** Throws `not_found`, `invalid_state`, `not_claimed`. */
    release: async (appealId: string, by: ByStaff) =>
      noted(await appeals.release(appealId, by.userId, now()), appealId, by, "release"),

    /** Throws `not_found`, `invalid_state`, `not_claimed`, `self_target`. */
    async decide(
      appealId: string,
      { decision, note }: { decision: "grant" | "deny"; note: string },
      by: ByStaff,
    ): Promise<AppealDoc> {
      await requireOthers(appealId, by);
      const at = now();
      const status = decision === "grant" ? ("granted" as const) : ("denied" as const);
      const { decided, undone } = await inTransaction(client, async (session) => {
        const decided = await appeals.decide(appealId, { status, by: by.userId, note, at }, session);
        const undone = decided?.status === "granted" ? await undo(decided, by, at, session) : NOTHING;
        return { decided, undone };
      });
      const appeal = await noted(decided, appealId, by, decision);
      const { userId: accountId, subjectId: strikeId } = appeal;
      if (undone.audited === "account.unbanned") audit("account.unbanned", by, { accountId });
      if (undone.audited === "strike.revoked") audit("strike.revoked", by, { accountId, strikeId });
      if (undone.room !== null) await outbox.publish(undone.room);
      return appeal;
    },
  };
}

export type Appeals = ReturnType<typeof createAppeals>;
