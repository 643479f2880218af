import type { IncomingHttpHeaders } from "node:http";
import type { Identity, Origin, SignIn } from "../../actors/identity/identity.ts";
import { ownUserView } from "../../actors/identity/views.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import { requireClientHeader } from "../http/authenticate.ts";
import type { Operations } from "../http/bind.ts";
import { reply } from "../http/reply.ts";
import { type CookieConfig, clearedCookies, sessionCookies } from "./cookies.ts";

type Deps = { identity: Identity; cookies: CookieConfig };

type Asking = { headers: IncomingHttpHeaders; ip: string };

const originOf = ({ headers, ip }: Asking): Origin => ({ ip, userAgent: headers["user-agent"] ?? null });

/** Bearer mode is asked for by header; everything else is cookie mode (spec §5, rules 1 and 2). */
const isBearerMode = (headers: IncomingHttpHeaders): boolean => headers["x-auth-mode"] === "bearer";

export function authRoutes({ bind }: Operations, { identity, cookies }: Deps): void {
  /** AuthResult (spec §2): the tokens go into the body or into cookies, never into both. */
  function signedIn(signIn: SignIn, headers: IncomingHttpHeaders) {
    const body = {
      device_id: signIn.deviceId,
      user: ownUserView(signIn.user),
      requires_2fa: false,
      two_factor_token: null,
    };
    if (!isBearerMode(headers)) return reply({ body, cookies: sessionCookies(signIn, cookies) });
    const tokens = { access_token: signIn.accessToken, refresh_token: signIn.refreshToken };
    return reply({ body: { ...body, ...tokens } });
  }

  bind("register", async ({ body, headers, ip }) =>
    signedIn(await identity.register(body, originOf({ headers, ip })), headers),
  );

  bind("login", async ({ body, headers, ip, cookies: sent }) => {
    const knownDevice = sent.lc_device_id ?? null;
    return signedIn(await identity.login({ ...body, knownDevice }, originOf({ headers, ip })), headers);
  });

  bind("refresh", async ({ body, headers, ip, cookies: sent }) => {
    const bearerMode = isBearerMode(headers);
    const token = bearerMode ? body?.refresh_token : sent.lc_refresh_token;
    if (!token) throw new ServiceError("auth_required");
    if (!bearerMode) requireClientHeader({ method: "POST", headers });
    return signedIn(await identity.refresh(token, originOf({ headers, ip })), headers);
  });

  bind("logout", async ({ caller }) => {
    await identity.logout(caller);
    return reply({ cookies: caller.via === "cookie" ? clearedCookies(cookies) : [] });
  });

  bind("createWsTicket", async ({ caller }) => {
    const { ticket, expiresInSeconds } = await identity.issueTicket(caller);
    return { ticket, expires_in: expiresInSeconds };
  });
}
