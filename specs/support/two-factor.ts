import type { OpenedSession, SecondFactorPending } from "../../actors/accounts/sessions/opened-session.ts";
import { codeAt } from "../../actors/accounts/two-factor/one-time-codes.ts";
import { OPERATOR } from "../../base/audit.ts";
import type { Core } from "../../deploy/processes/workers/core.ts";
import type { Api } from "./api.ts";

/** Asserts that a sign-in is complete, without a second factor. */
export function signedIn(step: OpenedSession | SecondFactorPending): OpenedSession {
  if ("twoFactorToken" in step) throw new Error("the sign-in lacks its second factor");
  return step;
}

/** What an account's owner signs in with beside the password. */
export type Authenticator = { secret: string; recoveryCodes: string[] };

export const codeNow = ({ clock }: Pick<Core, "clock">, { secret }: Pick<Authenticator, "secret">): string =>
  codeAt(secret, clock.now());

/** Enables two-factor authentication for the caller, whose session then counts as one with two factors. */
export async function givenTwoFactor(core: Pick<Core, "clock">, api: Api): Promise<Authenticator> {
  const { secret, recovery_codes: recoveryCodes = [] } = await api.ok("setUpTwoFactor");
  await api.ok("verifyTwoFactor", { body: { code: codeNow(core, { secret }) } });
  return { secret, recoveryCodes };
}

/** Makes the account staff with two factors, which staff need to act. */
export async function givenStaffMember(
  core: Core,
  { username, api }: { username: string; api: Api },
): Promise<Authenticator> {
  await core.staff.setStaff(username, true, OPERATOR);
  return givenTwoFactor(core, api);
}

/**
 * Signs in again for a new access token. Uses a recovery code if a second factor is required, since time-based codes are
 * valid once.
 */
export async function signInAgain(
  api: Api,
  body: { login: string; password: string },
  authenticator?: Authenticator,
): Promise<string> {
  const bearer = api.with({ "x-auth-mode": "bearer" });
  const first = await bearer.ok("login", { body });
  const token = first.two_factor_token;
  const code = authenticator?.recoveryCodes.pop();
  const done =
    token && code ? await bearer.ok("finishLogin", { body: { two_factor_token: token, code } }) : first;
  if (!done.access_token) throw new Error("this sign-in needs a second factor, or more recovery codes");
  return done.access_token;
}
