import type { AccountParts } from "../../actors/accounts/accounts.ts";
import type { Operations } from "../http/bind.ts";

/** The actions behind links in mails, and the requests for such mails. */
export function emailRoutes(
  { bind }: Operations,
  { profile, recovery }: Pick<AccountParts, "profile" | "recovery">,
): void {
  bind("verifyEmail", ({ body, origin }) => profile.verifyEmail(body.token, origin));
  bind("resendVerification", ({ caller }) => profile.resendVerification(caller));
  bind("undoEmailChange", ({ body, origin }) => recovery.undoEmailChange(body.token, origin));
  bind("undoTwoFactor", ({ body, origin }) => recovery.undoTwoFactor(body.token, origin));
  bind("forgotPassword", ({ body }) => recovery.forgotPassword(body.email));
  bind("resetPassword", ({ body, origin }) => recovery.resetPassword(body.token, body.password, origin));
}
