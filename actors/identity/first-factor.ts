import { ServiceError } from "../../specs/contract/errors.ts";
import type { Actor, Audit, Origin } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import type { AccountBans } from "../../store/mongo/account-bans.ts";
import type { UserDoc } from "../../store/mongo/users.ts";
import type { Mails } from "../mail/mails.ts";
import { deviceName } from "../mail/texts.ts";
import type { AppealTokens } from "./appeal-tokens.ts";
import type { KnownDevice } from "./devices.ts";
import type { SignIn } from "./identity-types.ts";
import type { SignIns } from "./sign-ins.ts";

/** Where a first factor was shown; `known`: with the secret of a device that was signed in to this account. */
export type FirstFactor = { known: KnownDevice | null; viaCookie: boolean };

type Deps = {
  bans: Pick<AccountBans, "currentOf">;
  appealTokens: Pick<AppealTokens, "make">;
  signIns: Pick<SignIns, "open">;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

/** What follows a first factor, whichever it was: a password, or another provider's word. */
export function createFirstFactor({ bans, appealTokens, signIns, mails, audit, clock }: Deps) {
  /** What an appeal against the ban names; nothing for a ban of an older release, of which nothing is kept. */
  async function appealOf(userId: string) {
    const ban = await bans.currentOf(userId);
    if (!ban) return {};
    const token = appealTokens.make({ userId, banId: ban._id });
    return { appeal_token: token, subject_type: "ban", subject_id: ban._id };
  }

  /** To an address that was proven to be the owner's alone: another may be anybody's. */
  async function mailNewDevice({ user, sessionId }: SignIn, origin: Origin): Promise<void> {
    if (!user.emailVerifiedAt) return;
    const { email: to, username, _id: userId } = user;
    const at = new Date(clock.now()).toISOString();
    const data = { username, device: deviceName(origin.userAgent), address: origin.ip, at };
    await mails.request({ key: `new_device:${sessionId}`, template: "new_device", to, userId, data });
  }

  /** `byPassword` is the hash that was matched. Throws `account_banned`, and `invalid_token` for an account that was deleted meanwhile. */
  return async function afterFirstFactor(
    user: UserDoc,
    { known }: FirstFactor,
    origin: Origin,
    byPassword?: string,
  ): Promise<SignIn> {
    const by: Actor = { userId: user._id, origin };
    if (user.status === "banned") {
      audit("sign_in.refused", by, { reason: "account_banned" });
      throw new ServiceError("account_banned", await appealOf(user._id));
    }
    const signIn = await signIns.open(user._id, origin, byPassword);
    audit("sign_in.succeeded", by, { sessionId: signIn.sessionId, device: known ? "known" : "new" });
    if (!known) await mailNewDevice(signIn, origin);
    return signIn;
  };
}

export type AfterFirstFactor = ReturnType<typeof createFirstFactor>;
