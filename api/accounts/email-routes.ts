import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

/** The actions behind links in mails, and the requests for such mails. */
export function emailRoutes({ bind }: Operations, { identity }: RouteDeps): void {
  bind("verifyEmail", ({ body, origin }) => identity.verifyEmail(body.token, origin));
  bind("resendVerification", ({ caller }) => identity.resendVerification(caller));
  bind("undoEmailChange", ({ body, origin }) => identity.undoEmailChange(body.token, origin));
  bind("undoTwoFactor", ({ body, origin }) => identity.undoTwoFactor(body.token, origin));
  bind("forgotPassword", ({ body }) => identity.forgotPassword(body.email));
  bind("resetPassword", ({ body, origin }) => identity.resetPassword(body.token, body.password, origin));
}
