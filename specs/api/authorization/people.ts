import { randomBytes } from "node:crypto";
import { OPERATOR } from "../../../base/audit.ts";
import type { Peer } from "../../../contract/peers.ts";
import type { Person } from "../../support/given-channels.ts";
import { type Authenticator, givenStaffMember, signInAgain } from "../../support/two-factor.ts";
import type { World } from "../../support/world.ts";
import type { CallerName } from "./expectations.ts";

export const PASSWORD = "open sesame, said the spec";

/** A session that was begun within this time has just proved who it is. */
const RECENT_MS = 60_000;

export type People = Awaited<ReturnType<typeof givenPeople>>;

/** One account of each kind of caller around one channel, each with points in it, and a target for their actions. */
export async function givenPeople({ api, core, clock, systemKeys }: World) {
  const bearer = api.with({ "x-auth-mode": "bearer" });

  async function person(): Promise<Person> {
    const username = `a_${randomBytes(8).toString("hex")}`;
    const body = { username, email: `${username}@example.com`, password: PASSWORD };
    const { user, access_token: token = "" } = await bearer.ok("register", { body });
    if (!user) throw new Error("a new account is signed in at once");
    return { id: user.id, username, token, api: api.as({ token }) };
  }

  const authenticators = new Map<string, Authenticator>();
  async function signIn({ id, username: login }: Person): Promise<string> {
    const authenticator = authenticators.get(id);
    const token = await signInAgain(api, { login, password: PASSWORD }, authenticator);
    // There are more operations than recovery codes.
    if (authenticator?.recoveryCodes.length === 1) {
      const body = { code: authenticator.recoveryCodes.pop() ?? "" };
      const renewed = await api.as({ token }).ok("renewRecoveryCodes", { body });
      authenticator.recoveryCodes.push(...renewed.recovery_codes);
    }
    return token;
  }

  const recent = new Map<string, { token: string; until: number }>();
  async function recentToken(of: Person): Promise<string> {
    const known = recent.get(of.id);
    if (known && clock.now() < known.until) return known.token;
    const token = await signIn(of);
    recent.set(of.id, { token, until: clock.now() + RECENT_MS });
    return token;
  }

  const accounts = {
    user: await person(),
    otherUser: await person(),
    owner: await person(),
    moderator: await person(),
    otherChannelsModerator: await person(),
    staff: await person(),
    banned: await person(),
  } satisfies Partial<Record<CallerName, Person>>;
  const target = await person();
  const stream = await accounts.owner.api.ok("getMyStream");
  const at = { stream_id: stream.id };
  const elsewhere = await target.api.ok("getMyStream");
  await accounts.owner.api.ok("addModerator", { params: { ...at, user_id: accounts.moderator.id } });
  await target.api.ok("addModerator", {
    params: { stream_id: elsewhere.id, user_id: accounts.otherChannelsModerator.id },
  });
  for (const fan of ["user", "otherUser", "moderator", "otherChannelsModerator", "staff"] as const) {
    await accounts[fan].api.ok("followUser", { params: { user_id: accounts.owner.id } });
  }
  authenticators.set(accounts.staff.id, await givenStaffMember(core, accounts.staff));
  await core.accountBans.ban(accounts.banned.id, OPERATOR);

  return {
    ...accounts,
    /** Authenticators of accounts with a second factor, by their ids. */
    authenticators,
    at,
    /** Not a caller: the owner of the other channel, and the target of actions. */
    target,
    newPerson: person,
    /** Null for callers without an account, or banned ones. */
    accountOf: (caller: CallerName): Person | null =>
      caller === "anonymous" || caller === "systemKey" || caller === "banned" ? null : accounts[caller],
    /**
     * The headers of a caller's credentials (a system key: of that service), of the account's first session, of one that has just proved who it is, or of a new one,
     * which may be ended.
     */
    async credentials(
      caller: CallerName,
      session: "first" | "recent" | "new",
      peer: Peer = "ingest",
    ): Promise<Record<string, string>> {
      if (caller === "anonymous") return {};
      if (caller === "systemKey") return { "x-system-key": systemKeys[peer] };
      const shown = accounts[caller];
      if (session === "first" || caller === "banned") return { authorization: `Bearer ${shown.token}` };
      const token = session === "recent" ? await recentToken(shown) : await signIn(shown);
      return { authorization: `Bearer ${token}` };
    },
    /** Creates another session of that account and returns its id. */
    async anotherSession(account: Person): Promise<string> {
      const { items } = await api.as({ token: await signIn(account) }).ok("listSessions");
      const current = items.find((session) => session.is_current);
      if (!current) throw new Error("The list of sessions doesn't show the one that asks");
      return current.id;
    },
  };
}
