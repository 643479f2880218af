import type { ClientSession } from "mongodb";
import type { Audit } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { isDuplicateKey } from "../../base/failures/mongo.ts";
import { newId } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { ServiceError } from "../../contract/errors.ts";
import { accountBansIn } from "../../store/mongo/accounts/account-bans.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import { chatBansIn, isInForce } from "../../store/mongo/chat/chat-bans.ts";
import { moderationActionsIn, STAFF_ACTOR } from "../../store/mongo/chat/moderation-actions.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { notificationFactsIn } from "../../store/mongo/notifications/notification-facts.ts";
import { type AppealDoc, type AppealSubject, appealsIn, claimOf } from "../../store/mongo/safety/appeals.ts";
import { strikesIn } from "../../store/mongo/safety/strikes.ts";
import type { AuditTrail, Directory } from "../accounts/public.ts";
import { standingIn } from "../accounts/public.ts";
import { changeRoom } from "../channels/public.ts";
import { changeOf } from "../chat/public.ts";
import type { Outbox } from "../host/outbox.ts";
import type { ByStaff } from "./sanctions.ts";

type Deps = {
  mongo: Mongo;
  streams: Streams;
  outbox: Pick<Outbox, "write" | "publish" | "publishSoon">;
  directory: Pick<Directory, "usersByIds">;
  auditTrail: AuditTrail;
  clock: Clock;
  log: Log;
};

type NewAppeal = { userId: string; subjectType: AppealSubject; subjectId: string; message: string };

/** Appeals: claimed once, decided once. Granting one undoes its subject in the same transaction. */
export function createAppeals({ mongo, streams, outbox, directory, auditTrail, clock, log }: Deps) {
  const { db } = mongo;
  const appeals = appealsIn(db);
  const bans = accountBansIn(db);
  const strikes = strikesIn(db);
  const chatBans = chatBansIn(db);
  const actions = moderationActionsIn(db);
  const standing = standingIn(db);
  const facts = notificationFactsIn(db);
  const now = () => new Date(clock.now());

  /** Whether the subject belongs to the user and is in force. */
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
        const ban = await chatBans.banOf(subjectId, userId);
        return ban?.reportId !== undefined && isInForce(ban, now());
      }
    }
  }

  /** A ban that the channel itself has set since then is kept. Returns the actor whose outbox rows must be published, or null. */
  async function liftChatBan(
    streamId: string,
    userId: string,
    session: ClientSession,
  ): Promise<string | null> {
    const { rows } = await changeRoom({ streamId, streams, session }, async (stream) => {
      const present = await chatBans.banOf(streamId, userId, session);
      if (present?.reportId === undefined) return { events: [] };
      await chatBans.dropBan(streamId, userId, "timeout", session);
      const entry = {
        _id: newId(),
        streamId,
        roomId: stream.roomId,
        actorId: STAFF_ACTOR,
        targetId: userId,
        action: "untimeout" as const,
        reason: null,
        durationSeconds: null,
        createdAt: now(),
      };
      const change = { log: [entry], effects: [{ kind: "unban" as const, userId }] };
      return changeOf({ actions, usersByIds: directory.usersByIds }, change, session);
    });
    await outbox.write(rows, session);
    return rows[0]?.actor ?? null;
  }

  type Granting = { by: ByStaff; at: Date; session: ClientSession; note: Audit };

  /** Returns the actor whose outbox rows must be published; null for none. */
  async function undo(
    { userId, subjectType, subjectId }: AppealDoc,
    { by, at, session, note }: Granting,
  ): Promise<string | null> {
    switch (subjectType) {
      case "ban": {
        const current = await bans.currentOf(userId, session);
        const lifted = { userId, by: by.userId, at };
        const isBack = current?._id === subjectId && (await standing.unban(lifted, session));
        if (isBack) note("account.unbanned", by, { accountId: userId });
        return null;
      }
      case "strike": {
        const what = { strikeId: subjectId, userId, by: by.userId, at };
        const { revoked, unbanned } = await standing.revokeStrike(what, session);
        if (revoked) note("strike.revoked", by, { accountId: userId, strikeId: subjectId });
        if (unbanned) note("account.unbanned", by, { accountId: userId });
        return null;
      }
      case "chat_ban":
        return liftChatBan(subjectId, userId, session);
    }
  }

  const sourceOf = (appealId: string) => `appeal:${appealId}`;

  /** Of its user, who may look at it now. An appeal is decided once. */
  async function announce(
    { _id: id, userId, subjectType: subject_type, subjectId: subject_id }: AppealDoc,
    status: "granted" | "denied",
    session: ClientSession,
  ): Promise<void> {
    const row = { actor: sourceOf(id), version: 1, n: 0, target: { user: userId } };
    const data = { id, subject_type, subject_id, status };
    await outbox.write([{ ...row, type: "appeal.decided", data }], session);
  }

  /** The decision is committed already: rows that can't be published now are left to the relay. */
  const publishAtOnce = (room: string) =>
    outbox
      .publish(room)
      .catch((err: unknown) => log.warn({ err, room }, "publishing the outbox failed; the relay goes on"));

  /** Staff can't handle their own appeals. An appeal's user never changes, so this needs no transaction. */
  async function requireOthers(appealId: string, { userId }: ByStaff): Promise<void> {
    if ((await appeals.find(appealId))?.userId === userId) throw new ServiceError("self_target");
  }

  /** Why an appeal can't be handled: it doesn't exist, is decided, is claimed by somebody else, or isn't claimed. */
  async function refusalOf(appealId: string, { userId }: ByStaff, isClaim: boolean): Promise<ServiceError> {
    const appeal = await appeals.find(appealId);
    if (!appeal) return new ServiceError("not_found");
    const isMine = claimOf(appeal, now())?.by === userId;
    if (appeal.isOpen && !isClaim && !isMine) return new ServiceError("not_claimed");
    return new ServiceError("invalid_state", { status: appeal.status });
  }

  type Handled = (session: ClientSession, note: Audit) => Promise<AppealDoc | null>;

  async function handled(id: string, by: ByStaff, action: string, change: Handled): Promise<AppealDoc> {
    const appeal = await auditTrail.transact(async (session, note) => {
      const changed = await change(session, note);
      if (changed) note("appeal.handled", by, { appealId: id, accountId: changed.userId, action });
      return changed;
    });
    if (!appeal) throw await refusalOf(id, by, action === "claim");
    return appeal;
  }

  return {
    /** Throws `not_found` for a subject that isn't the user's or isn't in force, `appeal_open`. */
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
    queue: (decidedSince: Date) => appeals.queue(now(), decidedSince),

    /** Throws `not_found`, `invalid_state`, `self_target`. */
    async claim(appealId: string, by: ByStaff) {
      await requireOthers(appealId, by);
      return handled(appealId, by, "claim", (session) => appeals.claim(appealId, by.userId, now(), session));
    },
    /** Throws `not_found`, `invalid_state`, `not_claimed`. */
    release: async (appealId: string, by: ByStaff) =>
      handled(appealId, by, "release", (session) => appeals.release(appealId, by.userId, now(), session)),

    /** Throws `not_found`, `invalid_state`, `not_claimed`, `self_target`. */
    async decide(
      appealId: string,
      { decision, note }: { decision: "grant" | "deny"; note: string },
      by: ByStaff,
    ): Promise<AppealDoc> {
      await requireOthers(appealId, by);
      const at = now();
      const status = decision === "grant" ? ("granted" as const) : ("denied" as const);
      let room: string | null = null;
      const appeal = await handled(appealId, by, decision, async (session, noting) => {
        const decided = await appeals.decide(appealId, { status, by: by.userId, note, at }, session);
        if (!decided) return null;
        const fact = { kind: "appeal" as const, ref: appealId, userId: decided.userId, at };
        await facts.insert([{ ...fact, data: { appealId, status } }], session);
        await announce(decided, status, session);
        room = status === "granted" ? await undo(decided, { by, at, session, note: noting }) : null;
        return decided;
      });
      outbox.publishSoon(sourceOf(appealId));
      if (room !== null) await publishAtOnce(room);
      return appeal;
    },
  };
}
