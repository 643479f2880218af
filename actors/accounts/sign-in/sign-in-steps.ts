import { createHash, randomBytes } from "node:crypto";
import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { PendingSignInDoc, PendingSignIns } from "../../../store/mongo/accounts/pending-sign-ins.ts";
import type { UserDoc, Users } from "../../../store/mongo/accounts/users.ts";
import type { Mails } from "../../mail/mails.ts";
import { deviceName } from "../../mail/texts.ts";
import { throttleKeys } from "../passwords/login-throttle.ts";
import type { AccountSessions } from "../sessions/account-sessions.ts";
import type { Devices, KnownDevice } from "../sessions/devices.ts";
import type { OpenedSession, SecondFactorPending, SignInProof } from "../sessions/opened-session.ts";
import type { BanRefusals } from "../standing/ban-refusals.ts";
import type { Bindings } from "../tokens/bindings.ts";
import { hashToken } from "../tokens/refresh-tokens.ts";
import { FEW_CODES } from "../two-factor/recovery-codes.ts";
import type { SecondFactor } from "../two-factor/second-factor.ts";

const PENDING_MS = 5 * MINUTE_MS;
const TRIES = 5;
const PREFIX = "lc_2fa_";

/** How the first factor was given. `known`: the device, if its secret shows that it has signed in to this account before. */
type FirstFactor = {
  known: KnownDevice | null;
  viaCookie: boolean;
  /** The link with the provider that confirmed the user; null: a password. */
  linkId: string | null;
};

/**
 * `devices` are the device tokens that the client presents: in the body at most one, in cookie mode also those that a sibling host
 * may have planted beside its own. `binding`: what a browser presents as this sign-in's, null for nothing; absent for other
 * clients.
 */
type Completion = {
  token: string;
  code: string;
  devices: readonly string[];
  viaCookie: boolean;
  binding?: string | null;
};

/**
 * Why the second step is refused after the first one was accepted. `unknown_sign_in`: finished, removed after its time, or
 * never begun; `concurrent_attempt`: other requests finished it, or used up its tries, at the same time; `changed_meanwhile`,
 * also of a sign-in with one step: the account, its password, factor or link with a provider isn't what was proven.
 */
type Obstacle =
  | "unknown_sign_in"
  | "expired_sign_in"
  | "too_many_codes"
  | "other_mode"
  | "other_device"
  | "other_password"
  | "account_deleted"
  | "changed_meanwhile"
  | "concurrent_attempt";

type Deps = {
  users: Pick<Users, "find">;
  pendingSignIns: PendingSignIns;
  secondFactor: SecondFactor;
  devices: Devices;
  bindings: Bindings;
  accountSessions: AccountSessions;
  banRefusals: BanRefusals;
  mails: Pick<Mails, "request">;
  audit: Audit;
  clock: Clock;
};

const markOf = (passwordHash: string | null): string =>
  createHash("sha256")
    .update(passwordHash ?? "")
    .digest("hex");

/** The steps after any first factor: a session, or first the second factor (decision 0043). */
export function createSignInSteps(deps: Deps) {
  const {
    users,
    pendingSignIns,
    secondFactor,
    devices,
    bindings,
    accountSessions,
    banRefusals,
    mails,
    audit,
    clock,
  } = deps;

  /** Only mails verified addresses: any other may be a stranger's. */
  async function mailNewDevice({ user, sessionId }: OpenedSession, origin: Origin): Promise<void> {
    if (!user.emailVerifiedAt) return;
    const { email: to, username, _id: userId } = user;
    const at = new Date(clock.now()).toISOString();
    const data = { username, device: deviceName(origin.userAgent), address: origin.ip, at };
    await mails.request({ key: `new_device:${sessionId}`, template: "new_device", to, userId, data });
  }

  async function mailRecoveryCode({ user, sessionId }: OpenedSession, left: number): Promise<void> {
    if (!user.emailVerifiedAt) return;
    const { email: to, username, _id: userId } = user;
    const change = left <= FEW_CODES ? "few_recovery_codes" : "recovery_code_used";
    const data = { username, change, at: new Date(clock.now()).toISOString() } as const;
    await mails.request({
      key: `recovery_code:${sessionId}`,
      template: "two_factor_changed",
      to,
      userId,
      data,
    });
  }

  /** Opens a session and notifies the owner of a new device. */
  async function open(
    user: UserDoc,
    { isKnown, ...shown }: Omit<SignInProof, "passwordHash"> & { isKnown: boolean },
    origin: Origin,
  ) {
    const { _id: userId, passwordHash } = user;
    const opened = banRefusals.withAppeal(userId, origin, () =>
      accountSessions.open(userId, origin, { ...shown, passwordHash }),
    );
    const signIn = await opened.catch((err: unknown) => {
      const isOutdated = err instanceof ServiceError && err.code === "invalid_token";
      throw isOutdated ? refused(userId, origin, "changed_meanwhile") : err;
    });
    const device = isKnown ? "known" : "new";
    audit("sign_in.succeeded", { userId, origin }, { sessionId: signIn.sessionId, device });
    if (!isKnown) await mailNewDevice(signIn, origin);
    return signIn;
  }

  async function begin(
    user: UserDoc,
    { known, viaCookie, linkId }: FirstFactor,
  ): Promise<SecondFactorPending> {
    const token = PREFIX + randomBytes(32).toString("base64url");
    const deviceId = known?.deviceId ?? newId();
    const _id = hashToken(token);
    await pendingSignIns.insert({
      _id,
      userId: user._id,
      deviceId,
      isKnownDevice: known !== null,
      viaCookie,
      isBound: true,
      passwordMark: markOf(user.passwordHash),
      ...(linkId === null ? {} : { linkId }),
      tries: 0,
      expiresAt: new Date(clock.now() + PENDING_MS),
    });
    return {
      twoFactorToken: token,
      deviceId: devices.givenOut(deviceId),
      binding: bindings.of(_id),
      expiresIn: PENDING_MS / 1_000,
    };
  }

  /** Why a pending sign-in can't be finished by this request, or null. */
  function obstacleOf(
    pending: PendingSignInDoc,
    { devices: presented, viaCookie, binding }: Completion,
  ): Obstacle | null {
    if (pending.expiresAt.getTime() <= clock.now()) return "expired_sign_in";
    if (pending.tries >= TRIES) return "too_many_codes";
    if (pending.viaCookie !== viaCookie) return "other_mode";
    const lacksBinding = binding !== undefined && !bindings.fits(pending._id, binding ?? "");
    if (pending.isBound && lacksBinding) return "other_device";
    // In bearer mode the device token came together with the sign-in token, so it may be omitted.
    const isHere =
      presented.length === 0
        ? !viaCookie
        : presented.some((one) => devices.isGivenOut(pending.deviceId, one));
    return isHere ? null : "other_device";
  }

  /** The answer is the same for each reason; the audit log has it. */
  function refused(userId: string | null, origin: Origin, reason: Obstacle): ServiceError {
    audit("sign_in.refused", { userId, origin }, { reason });
    return new ServiceError("invalid_token");
  }

  return {
    /** Throws `account_banned`, and `invalid_token` for an account that was deleted meanwhile. */
    async afterFirstFactor(
      user: UserDoc,
      first: FirstFactor,
      origin: Origin,
    ): Promise<OpenedSession | SecondFactorPending> {
      await banRefusals.requireNotBanned(user, origin);
      const { known, linkId } = first;
      if (!user.twoFactorEnabledAt)
        return open(user, { isKnown: known !== null, linkId, secondFactor: false }, origin);
      const device = known ? "known" : "new";
      const accepted = linkId === null ? "sign_in.password_accepted" : "sign_in.provider_accepted";
      audit(accepted, { userId: user._id, origin }, { device });
      return begin(user, first);
    },

    /** For a passkey, whose authenticator has verified its user. Throws like `afterFirstFactor`. */
    async withBothFactors(
      user: UserDoc,
      { known, passkeyId }: { known: KnownDevice | null; passkeyId: string },
      origin: Origin,
    ): Promise<OpenedSession> {
      await banRefusals.requireNotBanned(user, origin);
      const how = { isKnown: known !== null, linkId: null, passkeyId, secondFactor: true };
      return open(user, how, origin);
    },

    /** Throws `invalid_token`, `invalid_code`, `rate_limited`, `account_banned`. */
    async finish(
      completion: Completion,
      origin: Origin,
    ): Promise<OpenedSession & { recoveryCodesLeft?: number }> {
      const pending = await pendingSignIns.find(hashToken(completion.token));
      if (pending === null) throw refused(null, origin, "unknown_sign_in");
      const { _id, userId, deviceId, isKnownDevice: isKnown, linkId = null } = pending;
      const obstacle = obstacleOf(pending, completion);
      if (obstacle !== null) throw refused(userId, origin, obstacle);
      const user = await users.find(userId);
      if (!user) throw refused(userId, origin, "account_deleted");
      if (markOf(user.passwordHash) !== pending.passwordMark) throw refused(userId, origin, "other_password");
      const by: Actor = { userId, origin };
      // A separate key for known devices: somebody who has only the password can't block the owner there.
      const key = isKnown ? throttleKeys.device({ userId, deviceId }) : throttleKeys.account(userId);
      const shown = await secondFactor.take(
        { userId, code: completion.code, key },
        {
          before: async () => {
            if (!(await pendingSignIns.takeTry(_id, TRIES)))
              throw refused(userId, origin, "concurrent_attempt");
          },
          onRefused: () => audit("sign_in.refused", by, { reason: "wrong_code" }),
          onThrottled: (waited) => audit("sign_in.throttled", by, waited),
        },
      );
      if (!(await pendingSignIns.remove(_id))) throw refused(userId, origin, "concurrent_attempt");
      // The code is used up, whatever becomes of the sign-in.
      if (shown.by === "recovery_code") audit("recovery_code.used", by, { accountId: userId });
      const signIn = await open(user, { isKnown, linkId, secondFactor: true }, origin);
      if (shown.by !== "recovery_code") return signIn;
      await mailRecoveryCode(signIn, shown.left);
      return { ...signIn, recoveryCodesLeft: shown.left };
    },
  };
}

export type SignInSteps = ReturnType<typeof createSignInSteps>;
