import type { IncomingHttpHeaders } from "node:http";
import { ownUserView } from "../../actors/accounts/profile/views.ts";
import type { OpenedSession, SecondFactorPending } from "../../actors/accounts/sessions/opened-session.ts";
import { reply } from "../http/reply.ts";
import { type CookieConfig, pendingCookies, sessionCookies } from "./cookies.ts";

/** Bearer mode is requested by a header; everything else is cookie mode (docs/interface.md#5-authentication, rules 1 and 2). */
export const isBearerMode = (headers: IncomingHttpHeaders): boolean => headers["x-auth-mode"] === "bearer";

type Step = (OpenedSession & { recoveryCodesLeft?: number }) | SecondFactorPending;

/**
 * AuthResult (docs/interface.md#2-resources): the tokens go into the body or into cookies, never into both; before the second
 * factor there are none.
 */
export function authResult(step: Step, headers: IncomingHttpHeaders, cookies: CookieConfig) {
  const inBody = isBearerMode(headers);
  if ("twoFactorToken" in step) {
    const { deviceId, twoFactorToken: two_factor_token } = step;
    const body = { device_id: deviceId, requires_2fa: true, two_factor_token };
    return reply({ body, cookies: inBody ? [] : pendingCookies(step, cookies) });
  }
  const { recoveryCodesLeft: left, isRestored = false } = step;
  const body = {
    device_id: step.deviceId,
    user: ownUserView(step.user),
    requires_2fa: false,
    two_factor_token: null,
    ...(left === undefined ? {} : { recovery_codes_left: left }),
    ...(isRestored ? { restored: true } : {}),
  };
  if (!inBody) return reply({ body, cookies: sessionCookies(step, cookies) });
  return reply({ body: { ...body, access_token: step.accessToken, refresh_token: step.refreshToken } });
}
