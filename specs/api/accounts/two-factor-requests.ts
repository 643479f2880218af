import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { CallOptions } from "../../support/api.ts";
import type { Person } from "../../support/given-channels.ts";
import { type Authenticator, codeNow } from "../../support/two-factor.ts";
import type { CallerName } from "../authorization/expectations.ts";
import { once } from "../authorization/once.ts";
import { PASSWORD } from "../authorization/people.ts";
import type { OwnRequests, ResourceRequests } from "../authorization/resource-requests.ts";
import type { Toolbox } from "../authorization/toolbox.ts";

const origin = { ip: "127.0.0.1", userAgent: null, requestId: "spec" };
const SOME_CODE = "000000";

/** Requests about the sender's second factor, which is put into the required state first. */
export const twoFactorRequests: ResourceRequests = {
  endsSession: ["setUpTwoFactor", "verifyTwoFactor", "disableTwoFactor", "renewRecoveryCodes"],
  requests: inRequiredState,

  shown: {
    disableTwoFactor: "nowhere",
    finishLogin: "nowhere",
    renewRecoveryCodes: "nowhere",
    stepUp: "nowhere",
  },
};

function inRequiredState({ world: { core, api }, people }: Toolbox): OwnRequests {
  const { twoFactor } = core;
  const { authenticators } = people;

  async function ownerOf({ id, username }: Person) {
    const user = await core.mongo.db.collection<UserDoc>("users").findOne({ _id: id });
    const [session] = await core.sessions.list(id);
    if (!user || !session) throw new Error(`${username} is gone, or isn't signed in`);
    const caller = {
      kind: "user",
      userId: id,
      username,
      sessionId: session._id,
      via: "bearer",
      grant: null,
    } as const;
    return { user, caller, origin };
  }

  async function off({ id }: Person): Promise<void> {
    await core.mongo.db.collection<{ _id: string }>("two_factors").deleteOne({ _id: id });
    const users = core.mongo.db.collection<UserDoc>("users");
    await users.updateOne({ _id: id }, { $set: { twoFactorEnabledAt: null } });
    authenticators.delete(id);
  }

  async function setUp(person: Person): Promise<Authenticator> {
    await off(person);
    return twoFactor.setUp(await ownerOf(person));
  }

  async function on(person: Person): Promise<Authenticator> {
    const made = await setUp(person);
    await twoFactor.verify(await ownerOf(person), codeNow(core, made));
    authenticators.set(person.id, made);
    return made;
  }

  const codeOf = (made: Authenticator): string => made.recoveryCodes.pop() ?? "";
  const callerOf = (caller: CallerName) => people.accountOf(caller);

  async function withoutTwoFactor(caller: CallerName): Promise<CallOptions> {
    const person = callerOf(caller);
    if (person) await off(person);
    return {};
  }

  /** Somebody who isn't a caller, with more recovery codes than there are callers. */
  const withTwoFactor = once(async () => {
    const person = await people.newPerson();
    return { person, made: await on(person) };
  });

  const ofCaller: OwnRequests["ofCaller"] = {
    finishLogin: async () => {
      const { person, made } = await withTwoFactor();
      const { two_factor_token } = await api
        .with({ "x-auth-mode": "bearer" })
        .ok("login", { body: { login: person.username, password: PASSWORD } });
      return { body: { two_factor_token, code: codeOf(made) }, headers: { "x-auth-mode": "bearer" } };
    },
    stepUp: async (caller) => {
      const made = authenticators.get(callerOf(caller)?.id ?? "");
      return { body: made ? { code: codeOf(made) } : { password: PASSWORD } };
    },
    setUpTwoFactor: withoutTwoFactor,
    changePassword: async (caller) => ({
      ...(await withoutTwoFactor(caller)),
      body: { current_password: PASSWORD, new_password: PASSWORD },
    }),
    // By then the account has other codes than are known here.
    endSessions: withoutTwoFactor,
    logout: withoutTwoFactor,
    verifyTwoFactor: async (caller) => {
      const person = callerOf(caller);
      return { body: { code: person ? codeNow(core, await setUp(person)) : SOME_CODE } };
    },
    disableTwoFactor: async (caller) => {
      const person = callerOf(caller);
      return { body: { password: PASSWORD, code: person ? codeOf(await on(person)) : SOME_CODE } };
    },
    renewRecoveryCodes: async (caller) => {
      const person = callerOf(caller);
      return { body: { code: person ? codeOf(await on(person)) : SOME_CODE } };
    },
  };
  return { ofCaller };
}
