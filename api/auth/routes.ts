import type { IncomingHttpHeaders } from "node:http";
import type { Identity, SignIn } from "../../actors/identity/identity.ts";
import { ownUserView } from "../../actors/identity/views.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import { requireClientHeader } from "../http/authenticate.ts";
import type { Operations } from "../http/bind.ts";
import { reply } from "../http/reply.ts";
import { type CookieConfig, clearedCookies, sessionCookies } from "./cookies.ts";

type Deps = { identity: Identity; cookies: CookieConfig };

/** Bearer mode is requested by header; everything else is cookie mode (spec §5, rules 1 and 2). */
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

  bind("register", async ({ body, headers, origin }) =>
    signedIn(await identity.register(body, origin), headers),
  );

  bind("login", async ({ body, headers, origin, cookies: sent }) => {
    const { login, password, device_id: inBody } = body;
    const knownDevice = (isBearerMode(headers) ? inBody : sent.lc_device_id) ?? null;
    return signedIn(await identity.login({ login, password, knownDevice }, origin), headers);
  });

  bind("refresh", async ({ body, headers, origin, cookies: sent }) => {
    const bearerMode = isBearerMode(headers);
    const token = bearerMode ? body?.refresh_token : sent.lc_refresh_token;
    if (!token) throw new ServiceError("auth_required");
    if (!bearerMode) requireClientHeader({ method: "POST", headers });
    return signedIn(await identity.refresh(token, origin), headers);
  });

  bind("logout", async ({ caller, origin }) => {
    await identity.logout(caller, origin);
    return reply({ cookies: caller.via === "cookie" ? clearedCookies(cookies) : [] });
  });

  bind("createWsTicket", async ({ caller }) => {
    const { ticket, expiresInSeconds } = await identity.issueTicket(caller);
    return { ticket, expires_in: expiresInSeconds };
  });
}
