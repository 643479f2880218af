import type { IncomingHttpHeaders } from "node:http";
import { ServiceError } from "../../contract/errors.ts";
import { requireClientHeader } from "../http/authenticate.ts";
import type { Operations } from "../http/bind.ts";
import { reply } from "../http/reply.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { authResult, isBearerMode } from "./auth-result.ts";
import { type CookieConfig, clearedCookies } from "./cookies.ts";

export function authRoutes(
  { bind }: Operations,
  { identity, cookies }: RouteDeps & { cookies: CookieConfig },
): void {
  const signedIn = (step: Parameters<typeof authResult>[0], headers: IncomingHttpHeaders) =>
    authResult(step, headers, cookies);

  bind("register", async ({ body, headers, origin }) =>
    signedIn(await identity.register(body, origin), headers),
  );

  bind("login", async ({ body, headers, origin, cookies: sent }) => {
    const { login, password, device_id: inBody } = body;
    const viaCookie = !isBearerMode(headers);
    const knownDevice = viaCookie ? await identity.deviceIn(sent) : (inBody ?? null);
    return signedIn(await identity.login({ login, password, knownDevice, viaCookie }, origin), headers);
  });

  bind("refresh", async ({ body, headers, origin, cookies: sent }) => {
    const bearerMode = isBearerMode(headers);
    const token = bearerMode ? body?.refresh_token : sent.refresh[0];
    if (!token) throw new ServiceError("auth_required");
    if (bearerMode) return signedIn(await identity.refresh(token, origin), headers);
    requireClientHeader({ method: "POST", headers });
    return signedIn(await identity.refreshByCookie(sent, origin), headers);
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
