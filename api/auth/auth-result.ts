import type { IncomingHttpHeaders } from "node:http";
import type { SignIn } from "../../actors/identity/identity.ts";
import { ownUserView } from "../../actors/identity/views.ts";
import { reply } from "../http/reply.ts";
import { type CookieConfig, sessionCookies } from "./cookies.ts";

/** Bearer mode is requested by header; everything else is cookie mode (spec §5, rules 1 and 2). */
export const isBearerMode = (headers: IncomingHttpHeaders): boolean => headers["x-auth-mode"] === "bearer";

/** AuthResult (spec §2): the tokens go into the body or into cookies, never into both. */
export function authResult(signIn: SignIn, headers: IncomingHttpHeaders, cookies: CookieConfig) {
  const body = {
    device_id: signIn.deviceId,
    user: ownUserView(signIn.user),
    requires_2fa: false,
    two_factor_token: null,
  };
  if (!isBearerMode(headers)) return reply({ body, cookies: sessionCookies(signIn, cookies) });
  return reply({ body: { ...body, access_token: signIn.accessToken, refresh_token: signIn.refreshToken } });
}
