import type { SignIn } from "../../actors/identity/identity.ts";
import type { SetCookie } from "../http/reply.ts";

/** `domain` null: for this host alone. `insecure` leaves `Secure` out, for plain http in development. */
export type CookieConfig = { domain: string | null; insecure: boolean };

/** The refresh cookie goes to these paths alone. */
const AUTH_PATH = "/v1/auth";

function accessCookie(value: string, maxAgeSeconds: number, { domain, insecure }: CookieConfig): SetCookie {
  return {
    name: "lc_access_token",
    value,
    maxAgeSeconds,
    httpOnly: true,
    secure: !insecure,
    sameSite: "Lax",
    domain,
    path: "/",
  };
}

function refreshCookie(value: string, maxAgeSeconds: number, { insecure }: CookieConfig): SetCookie {
  return {
    name: "lc_refresh_token",
    value,
    maxAgeSeconds,
    httpOnly: true,
    secure: !insecure,
    sameSite: "Strict",
    domain: null,
    path: AUTH_PATH,
  };
}

/** The three cookies of cookie mode (spec §5). The access cookie goes when its token does. */
export function sessionCookies(signIn: SignIn, config: CookieConfig): SetCookie[] {
  const { accessToken, accessExpiresIn, refreshToken, refreshExpiresIn, deviceId } = signIn;
  return [
    accessCookie(accessToken, accessExpiresIn, config),
    refreshCookie(refreshToken, refreshExpiresIn, config),
    deviceCookie(deviceId, refreshExpiresIn, config),
  ];
}

/** Takes both tokens away. The device stays known, so that its owner's next sign-in is not throttled with others. */
export function clearedCookies(config: CookieConfig): SetCookie[] {
  return [accessCookie("", 0, config), refreshCookie("", 0, config)];
}

function deviceCookie(value: string, maxAgeSeconds: number, config: CookieConfig): SetCookie {
  return { ...accessCookie(value, maxAgeSeconds, config), name: "lc_device_id" };
}
