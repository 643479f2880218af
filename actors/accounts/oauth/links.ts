import type { ClientSession } from "mongodb";
import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import {
  identityIdOf,
  type OauthIdentityDoc,
  oauthIdentitiesIn,
} from "../../../store/mongo/accounts/oauth-identities.ts";
import { passkeysIn } from "../../../store/mongo/accounts/passkeys.ts";
import { sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import type { Mails } from "../../mail/mails.ts";
import type { MailData } from "../../mail/texts.ts";
import type { Recovery } from "../sign-in/recovery.ts";
import type { OauthProvider } from "./provider.ts";

type Deps = {
  mongo: Mongo;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
  recovery: Pick<Recovery, "takeOver" | "takenOver">;
  /** The configured providers. */
  providers: readonly Provider[];
};
type Provider = Pick<OauthProvider, "id" | "name" | "issuer">;

/** Links between accounts and identities at providers. Every change writes the account, so that concurrent ones conflict. */
export function createLinks({ mongo, mails, audit, clock, recovery, providers }: Deps) {
  const identities = oauthIdentitiesIn(mongo.db);
  const users = usersIn(mongo.db);
  const sessions = sessionsIn(mongo.db);
  const passkeys = passkeysIn(mongo.db);

  const idOf = ({ issuer }: Provider, subject: string): string => identityIdOf(issuer, subject);

  const newDoc = (provider: Provider, subject: string, userId: string): OauthIdentityDoc => ({
    _id: idOf(provider, subject),
    userId,
    issuer: provider.issuer,
    providerId: provider.id,
    linkedAt: new Date(clock.now()),
  });

  async function touch(
    userId: string,
    expected: Partial<UserDoc>,
    session: ClientSession,
  ): Promise<UserDoc | null> {
    const change = { $inc: { linksVersion: 1 } };
    return users.update(userId, change, { session, expected: { ...expected, status: "active" } });
  }

  /** Mails a verified address only, in the transaction of the change. */
  async function notify(
    user: UserDoc,
    provider: Pick<Provider, "name">,
    change: Pick<MailData["provider_changed"], "change" | "tookOver">,
    session: ClientSession,
  ): Promise<void> {
    if (!user.emailVerifiedAt) return;
    const { email: to, username, _id: userId } = user;
    const at = new Date(clock.now()).toISOString();
    const key = `oauth_${change.change}:${newId()}`;
    const data = { username, provider: provider.name, ...change, at };
    await mails.request({ key, template: "provider_changed", to, userId, data }, session);
  }

  /** In a transaction. `tookOver`: for the mail, which says then that everything else has ended. */
  async function addIn(
    session: ClientSession,
    provider: Provider,
    doc: OauthIdentityDoc,
    { user, tookOver }: { user: UserDoc; tookOver: boolean },
  ): Promise<void> {
    const conflict = await identities.add(doc, session);
    if (conflict) throw new ServiceError(conflict === "identity" ? "identity_taken" : "already_linked");
    await notify(user, provider, { change: "linked", ...(tookOver ? { tookOver } : {}) }, session);
  }

  /** Throws `oauth_failed` when the account has changed since linking was allowed. */
  async function requireUnchanged(
    userId: string,
    expected: Partial<UserDoc>,
    session: ClientSession,
  ): Promise<UserDoc> {
    const user = await touch(userId, expected, session);
    if (!user) throw new ServiceError("oauth_failed");
    return user;
  }

  return {
    idOf,
    newDoc,
    find: (provider: Provider, subject: string) => identities.find(idOf(provider, subject)),
    ofUser: (userId: string) => identities.ofUser(userId),

    /** Call in the transaction that creates the account. Throws `invalid_token` when the identity has been linked meanwhile. */
    async addNew(doc: OauthIdentityDoc, session: ClientSession): Promise<void> {
      if (await identities.add(doc, session)) throw new ServiceError("invalid_token");
    },
    noteNew: (provider: Provider, userId: string, origin: Origin) =>
      audit("oauth.linked", { userId, origin }, { provider: provider.id, how: "registered" }),

    /**
     * Links an account whose address both sides verified, unless it is staff, has a second factor, or has changed since. Whoever
     * created it may be a stranger, for whom the owner has verified the address: all other ways in end. Throws `email_taken` while
     * a change of the address can be undone.
     */
    async addByAddress(
      provider: Provider,
      subject: string,
      owner: UserDoc,
      origin: Origin,
    ): Promise<OauthIdentityDoc> {
      const { _id: userId, emailKey, emailVerifiedAt, passwordHash } = owner;
      const unchanged = { emailKey, emailVerifiedAt, passwordHash, isStaff: false, twoFactorEnabledAt: null };
      const doc = newDoc(provider, subject, userId);
      const ended = await inTransaction(mongo.client, async (session) => {
        const user = await requireUnchanged(userId, unchanged, session);
        const before = await recovery.takeOver(userId, session);
        await addIn(session, provider, doc, { user, tookOver: true });
        return before;
      });
      const by = { userId, origin };
      audit("oauth.linked", by, { provider: provider.id, how: "address" });
      await recovery.takenOver(ended, by);
      return doc;
    },

    /**
     * Links at the owner's request. `requireSession` checks the session after the account is read: a password reset in between
     * makes either the session or the expected account invalid. Idempotent. Throws `identity_taken`, `already_linked`.
     */
    async addAsked(
      provider: Provider,
      subject: string,
      by: Actor & { userId: string },
      requireSession: () => Promise<void>,
    ): Promise<OauthIdentityDoc> {
      const { userId } = by;
      const before = await users.find(userId);
      await requireSession();
      const existing = await identities.find(idOf(provider, subject));
      if (existing?.userId === userId) return existing;
      const expected = { passwordHash: before?.passwordHash ?? null };
      const doc = newDoc(provider, subject, userId);
      await inTransaction(mongo.client, async (session) => {
        const user = await requireUnchanged(userId, expected, session);
        await addIn(session, provider, doc, { user, tookOver: false });
      });
      audit("oauth.linked", by, { provider: provider.id, how: "asked" });
      return doc;
    },

    /**
     * Unlinks by the provider's id in the configuration, now or at the time of linking: a provider that is no longer configured
     * can be unlinked, but can't be used to sign in. Ends the sessions that the link began, except `keep`, and returns their
     * ids. Throws `not_found`, and `last_sign_in` when the owner would have no other way to sign in.
     */
    async remove(
      providerId: string,
      by: Actor & { userId: string },
      keep: string,
    ): Promise<{ linkId: string; sessionIds: string[] }> {
      const { userId } = by;
      const now = providers.find(({ id }) => id === providerId);
      const configured = ({ issuer }: OauthIdentityDoc) => providers.find((one) => one.issuer === issuer);
      const ended = await inTransaction(mongo.client, async (session) => {
        const user = await touch(userId, {}, session);
        if (!user) throw new ServiceError("invalid_token");
        const all = await identities.ofUser(userId, session);
        const link =
          all.find(({ issuer }) => issuer === now?.issuer) ??
          all.find((one) => one.providerId === providerId);
        if (!link) throw new ServiceError("not_found");
        const provider = configured(link);
        const isLast = provider && !all.some((other) => other !== link && configured(other));
        if (user.passwordHash === null && isLast && !(await passkeys.has(userId, session)))
          throw new ServiceError("last_sign_in");
        await identities.remove(link._id, session);
        await notify(user, { name: provider?.name ?? link.providerId }, { change: "unlinked" }, session);
        const sessionIds = await sessions.endAllBut(userId, keep, session, { linkId: link._id });
        return { linkId: link._id, sessionIds };
      });
      audit("oauth.unlinked", by, { provider: providerId });
      return ended;
    },
  };
}
