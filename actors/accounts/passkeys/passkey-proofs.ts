import type { Actor, Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { PasskeyAssertion } from "../../../contract/wire.ts";
import type { PasskeyDoc, PasskeysStore } from "../../../store/mongo/accounts/passkeys.ts";
import type { OpenedSession } from "../sessions/opened-session.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import { bindingOf } from "../tokens/browser-secrets.ts";
import type { SignedIn } from "../tokens/caller.ts";
import type { Owner } from "../two-factor/reauthentication.ts";
import type { TwoFactor } from "../two-factor/two-factor.ts";
import { CHALLENGE_SECONDS, type Challenges, type Purpose } from "./challenges.ts";
import { handleOf, type RelyingParty } from "./relying-party.ts";

/**
 * Why a passkey is refused; the answer is the same for each reason. `unknown_challenge`: expired, used, of another purpose, or begun
 * by another browser or session; `passkey_counter`: it reports a use that was seen already, so there may be a copy of it.
 */
type Refusal = "unknown_challenge" | "unknown_passkey" | "invalid_passkey" | "passkey_counter";

type Proof = { passkey: PasskeyDoc } | { userId: string | null; refusal: Refusal };

/** The device that signs in. `secret`: the browser's, null where it has none; of other clients `viaCookie` is false. */
type Device = { secret: string | null; knownDevice: string | null; viaCookie: boolean };

type Deps = {
  passkeys: Pick<PasskeysStore, "findByCredential" | "ofUser" | "use">;
  challenges: Challenges;
  relyingParty: RelyingParty;
  signIn: Pick<SignIn, "signInWithPasskey">;
  twoFactor: Pick<TwoFactor, "steppedUp">;
  audit: Audit;
  clock: Clock;
};

/** What a passkey of an account proves: a sign-in with both factors, or a step-up. */
export function createPasskeyProofs(deps: Deps) {
  const { passkeys, challenges, relyingParty, signIn, twoFactor, audit, clock } = deps;

  /** The passkey that signed a challenge of that purpose. */
  async function prove(sent: PasskeyAssertion, purpose: Purpose, origin: Origin): Promise<Proof> {
    const challenge = await relyingParty.challengeOf(sent);
    if (challenge === null || !(await challenges.take(challenge, purpose)))
      return { userId: null, refusal: "unknown_challenge" };
    const passkey = await passkeys.findByCredential(sent.id);
    if (!passkey) return { userId: null, refusal: "unknown_passkey" };
    const { _id: passkeyId, userId } = passkey;
    const assertion = isOf(userId, sent, purpose)
      ? await relyingParty.verifyAssertion(sent, challenge, passkey)
      : null;
    if (!assertion) return { userId, refusal: "invalid_passkey" };
    if (await passkeys.use(passkeyId, { ...assertion, at: new Date(clock.now()) })) return { passkey };
    audit("passkey.counter_regressed", { userId, origin }, { passkeyId });
    return { userId, refusal: "passkey_counter" };
  }

  return {
    /** Options for anybody. `secret`: of the browser that begins it; null for other clients. */
    async startSignIn(secret: string | null) {
      const options = relyingParty.requestOptions(null);
      const browser = secret === null ? null : bindingOf(secret);
      await challenges.put(options.challenge, { for: "sign_in", browser });
      return { options, expiresIn: CHALLENGE_SECONDS };
    },

    /** Throws `passkey_refused`, `account_banned`. */
    async signIn(
      sent: PasskeyAssertion,
      { secret, knownDevice, viaCookie }: Device,
      origin: Origin,
    ): Promise<OpenedSession> {
      const refused = (userId: string | null, reason: Refusal) => {
        audit("sign_in.refused", { userId, origin }, { reason });
        return new ServiceError("passkey_refused");
      };
      if (viaCookie && secret === null) throw refused(null, "unknown_challenge");
      const browser = viaCookie && secret !== null ? bindingOf(secret) : null;
      const proof = await prove(sent, { for: "sign_in", browser }, origin);
      if ("refusal" in proof) throw refused(proof.userId, proof.refusal);
      return signIn.signInWithPasskey(proof.passkey, knownDevice, origin).catch((err: unknown) => {
        const isGone = err instanceof ServiceError && err.code === "invalid_token";
        throw isGone ? new ServiceError("passkey_refused") : err;
      });
    },

    /** Options that name the caller's passkeys. Throws `not_found` without any. */
    async startStepUp({ userId, sessionId }: SignedIn) {
      const own = await passkeys.ofUser(userId);
      if (own.length === 0) throw new ServiceError("not_found");
      const options = relyingParty.requestOptions(own);
      await challenges.put(options.challenge, { for: "step_up", userId, sessionId });
      return { options, expiresIn: CHALLENGE_SECONDS };
    },

    /** Returns until when it is valid. Throws `passkey_refused`. */
    async stepUp(owner: Owner, sent: PasskeyAssertion): Promise<Date> {
      const { caller, origin } = owner;
      const { userId, sessionId } = caller;
      const by: Actor = { userId, origin };
      const proof = await prove(sent, { for: "step_up", userId, sessionId }, origin);
      if ("passkey" in proof && proof.passkey.userId === userId) return twoFactor.steppedUp(owner);
      audit("reauthentication.refused", by, { purpose: "step_up" });
      throw new ServiceError("passkey_refused");
    },
  };
}

/**
 * Whether the response names the owner of its passkey. Authenticators tell it of those that the user chooses among all, and may leave it
 * out where the request names the passkeys.
 */
function isOf(userId: string, { response }: PasskeyAssertion, purpose: Purpose): boolean {
  const handle = response.userHandle ?? null;
  return handle === null ? purpose.for !== "sign_in" : handle === handleOf(userId);
}
