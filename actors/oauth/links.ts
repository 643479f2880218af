import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit, Origin } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import {
  identityIdOf,
  type OauthIdentityDoc,
  oauthIdentitiesIn,
} from "../../store/mongo/oauth-identities.ts";
import { sessionsIn } from "../../store/mongo/sessions.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { type UserDoc, usersIn } from "../../store/mongo/users.ts";
import type { Mails } from "../mail/mails.ts";
import type { OauthProvider } from "./provider.ts";

type Deps = {
  mongo: Mongo;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
  /** Those that are configured. */
  providers: readonly At[];
};
type At = Pick<OauthProvider, "id" | "name" | "issuer">;

/** Which accounts here belong to whom at the providers. Every change touches the account, so that two of them take turns. */
export function createLinks({ mongo, mails, audit, clock, providers }: Deps) {
  const identities = oauthIdentitiesIn(mongo.db);
  const users = usersIn(mongo.db);
  const sessions = sessionsIn(mongo.db);

  const idOf = ({ issuer }: At, subject: string): string => identityIdOf(issuer, subject);

  const newDoc = (provider: At, subject: string, userId: string): OauthIdentityDoc => ({
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

  /** To a proven address alone; in the transaction of what it tells of. */
  async function mail(
    user: UserDoc,
    provider: Pick<At, "name">,
    change: "linked" | "unlinked",
    session: ClientSession,
  ): Promise<void> {
    if (!user.emailVerifiedAt) return;
    const { email: to, username, _id: userId } = user;
    const at = new Date(clock.now()).toISOString();
    const key = `oauth_${change}:${newId()}`;
    const data = { username, provider: provider.name, change, at };
    await mails.request({ key, template: "provider_changed", to, userId, data }, session);
  }

  async function add(
    provider: At,
    subject: string,
    { userId, expected }: { userId: string; expected: Partial<UserDoc> },
  ): Promise<OauthIdentityDoc> {
    const doc = newDoc(provider, subject, userId);
    await inTransaction(mongo.client, async (session) => {
      const user = await touch(userId, expected, session);
      // The account isn't what it was when this was allowed.
      if (!user) throw new ServiceError("oauth_failed");
      const conflict = await identities.add(doc, session);
      if (conflict) throw new ServiceError(conflict === "identity" ? "identity_taken" : "already_linked");
      await mail(user, provider, "linked", session);
    });
    return doc;
  }

  return {
    idOf,
    newDoc,
    find: (provider: At, subject: string) => identities.find(idOf(provider, subject)),
    ofUser: (userId: string) => identities.ofUser(userId),

    /** Into the transaction that makes the account. Throws `invalid_token` when somebody was faster. */
    async addNew(doc: OauthIdentityDoc, session: ClientSession): Promise<void> {
      if (await identities.add(doc, session)) throw new ServiceError("invalid_token");
    },
    noteNew: (provider: At, userId: string, origin: Origin) =>
      audit("oauth.linked", { userId, origin }, { provider: provider.id, how: "registered" }),

    /** For an account whose address both have verified, not staff's and without a second factor; not any more if that has changed since. */
    async addByAddress(
      provider: At,
      subject: string,
      owner: UserDoc,
      origin: Origin,
    ): Promise<OauthIdentityDoc> {
      const { _id: userId, emailKey, emailVerifiedAt, passwordHash } = owner;
      const asItWas = { emailKey, emailVerifiedAt, passwordHash, isStaff: false, twoFactorEnabledAt: null };
      const doc = await add(provider, subject, { userId, expected: asItWas });
      audit("oauth.linked", { userId, origin }, { provider: provider.id, how: "address" });
      return doc;
    },

    /**
     * For the owner, whose session `requireSession` makes sure of, after a look at the account: a reset of the password in
     * between has ended either. Throws `identity_taken`, `already_linked`; the link that is there already is no mistake.
     */
    async addAsked(
      provider: At,
      subject: string,
      by: Actor & { userId: string },
      requireSession: () => Promise<void>,
    ): Promise<OauthIdentityDoc> {
      const { userId } = by;
      const before = await users.find(userId);
      await requireSession();
      const there = await identities.find(idOf(provider, subject));
      if (there?.userId === userId) return there;
      const expected = { passwordHash: before?.passwordHash ?? null };
      const doc = await add(provider, subject, { userId, expected });
      audit("oauth.linked", by, { provider: provider.id, how: "asked" });
      return doc;
    },

    /**
     * By the id in the configuration, now or when it was linked: a provider that isn't configured any more can be unlinked, and
     * lets nobody in. Ends the sessions that it began but `keep`, and gives back which. Throws `not_found`, and `last_sign_in` where nothing else would let its owner in.
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
        if (user.passwordHash === null && isLast) throw new ServiceError("last_sign_in");
        await identities.remove(link._id, session);
        await mail(user, { name: provider?.name ?? link.providerId }, "unlinked", session);
        const sessionIds = await sessions.endAllBut(userId, keep, session, link._id);
        return { linkId: link._id, sessionIds };
      });
      audit("oauth.unlinked", by, { provider: providerId });
      return ended;
    },
  };
}
