import type { ClientSession } from "mongodb";
import { type Actor, type Audit, OPERATOR } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { emailTokensIn } from "../../../store/mongo/accounts/email-tokens.ts";
import { type SessionDoc, sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import { type PendingTwoFactor, twoFactorsIn } from "../../../store/mongo/accounts/two-factor.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { Mails } from "../../mail/mails.ts";
import { mailOfLink, newLink } from "../tokens/email-links.ts";
import { groupedCodeHash } from "../tokens/grouped-codes.ts";
import { MAX_SESSIONS_READ } from "../tokens/session-endings.ts";
import { noticeOf } from "./notices.ts";
import { keyUri, newSecret } from "./one-time-codes.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";

const SETUP_MS = HOUR_MS;
const ISSUER = "livecore";

/** The sealing context of that user's authenticator secret. */
export const totpContext = (userId: string) => `totp:${userId}`;

/** Shown once; never log it. */
export type NewTwoFactor = { secret: string; uri: string; recoveryCodes: string[] };

type Deps = {
  mongo: Mongo;
  sealing: { seal(plain: string, context: string): string };
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

/** Enables an account's second factor, by its owner in two steps or by an operator in one, and disables it. */
export function createEnrolment({ mongo, sealing, mails, audit, clock }: Deps) {
  const twoFactors = twoFactorsIn(mongo.db);
  const users = usersIn(mongo.db);
  const sessions = sessionsIn(mongo.db);
  const links = emailTokensIn(mongo.db);

  /** Replaces a set-up that wasn't verified; null for an account that has a second factor. */
  async function begin(user: UserDoc): Promise<{ shown: NewTwoFactor; pending: PendingTwoFactor } | null> {
    const secret = newSecret();
    const recoveryCodes = newRecoveryCodes();
    const uri = keyUri(secret, { issuer: ISSUER, account: user.username });
    const pending = {
      secretSealed: sealing.seal(secret, totpContext(user._id)),
      recoveryHashes: recoveryCodes.map(groupedCodeHash),
      expiresAt: new Date(clock.now() + SETUP_MS),
    };
    const shown = { secret, uri, recoveryCodes };
    return (await twoFactors.begin(user._id, pending)) ? { shown, pending } : null;
  }

  const mailGiven = (user: UserDoc, now: Date) => (session: ClientSession) =>
    mails.request(noticeOf(user, "given", now.getTime()), session);

  /** With an undo link, for an owner who didn't switch it on, since a password reset would leave the factor in force. */
  function mailWithUndo({ _id: userId, username, email }: UserDoc, now: Date) {
    const { token, doc } = newLink("undo_two_factor", { userId, email }, now.getTime());
    const data = { username, token, at: now.toISOString() };
    return async (session: ClientSession): Promise<void> => {
      await links.put(doc, session);
      await mails.request({ ...mailOfLink(doc), template: "two_factor_enabled", data }, session);
    };
  }

  /**
   * False when that set-up is no longer the pending one. `keep` is the session that verified it, which counts as a session
   * with two factors from then on; null ends all sessions.
   */
  async function enable(
    { user, keep, by }: { user: UserDoc; keep: string | null; by: Actor },
    pending: PendingTwoFactor,
    step: number,
  ): Promise<boolean> {
    const now = new Date(clock.now());
    const notify = keep === null ? mailGiven(user, now) : mailWithUndo(user, now);
    const vouchedBy = keep === null ? "operator" : user.emailVerifiedAt ? "address" : null;
    let ended: SessionDoc[] = [];
    const isOn = await inTransaction(mongo.client, async (session) => {
      if (!(await twoFactors.enable(user._id, pending, { lastStep: step, vouchedBy }, session))) return false;
      ended = keep === null ? await sessions.active(user._id, now, 0, MAX_SESSIONS_READ, session) : [];
      const change = { $set: { twoFactorEnabledAt: now, updatedAt: now } };
      // The proof and the link belong to that address. If it has changed meanwhile, the client must request again.
      const done = await users.update(user._id, change, { session, expected: { emailKey: user.emailKey } });
      if (!done) throw new ServiceError("invalid_state");
      if (keep === null) await sessions.endAll(user._id, "ended", session);
      // The session may have ended meanwhile, for example by a password reset.
      else if (!(await sessions.prove(keep, { secondFactor: true }, session)))
        throw new ServiceError("invalid_token");
      if (user.emailVerifiedAt) await notify(session);
      return true;
    });
    if (!isOn) return false;
    const accountId = user._id;
    audit("two_factor.enabled", by, { accountId });
    for (const { _id: sessionId } of ended)
      audit("session.ended", by, { sessionId, accountId, reason: "two_factor_changed" });
    return true;
  }

  return {
    begin,
    enable,

    /** Enables it at once. Null for an account that has a second factor. */
    async enableByOperator(user: UserDoc): Promise<NewTwoFactor | null> {
      const begun = await begin(user);
      if (!begun) return null;
      const isOn = await enable({ user, keep: null, by: OPERATOR }, begun.pending, 0);
      return isOn ? begun.shown : null;
    },

    /** Doesn't end sessions. False for an account without a second factor. */
    async disable(user: UserDoc, by: Actor): Promise<boolean> {
      const notice = noticeOf(user, "disabled", clock.now());
      const isOff = await inTransaction(mongo.client, async (session) => {
        if (!(await twoFactors.remove(user._id, session))) return false;
        await links.remove(user._id, ["undo_two_factor"], session);
        const change = { twoFactorEnabledAt: null, updatedAt: new Date(clock.now()) };
        await users.update(user._id, { $set: change }, { session });
        if (user.emailVerifiedAt) await mails.request(notice, session);
        return true;
      });
      if (isOff) audit("two_factor.disabled", by, { accountId: user._id });
      return isOff;
    },
  };
}

export type Enrolment = ReturnType<typeof createEnrolment>;
