import type { IncomingHttpHeaders } from "node:http";
import type { AccountParts } from "../../actors/accounts/accounts.ts";
import { ServiceError } from "../../contract/errors.ts";
import { requireClientHeader } from "../http/authenticate.ts";
import type { Operations } from "../http/bind.ts";
import { RefusalWithCookies, reply } from "../http/reply.ts";
import { authResult, isBearerMode } from "./auth-result.ts";
import { type CookieConfig, clearedCookies } from "./cookies.ts";

export function authRoutes(
  { bind }: Operations,
  {
    sessions,
    signIn,
    tokens,
    cookies,
  }: Pick<AccountParts, "sessions" | "signIn" | "tokens"> & { cookies: CookieConfig },
): void {
  const signedIn = (step: Parameters<typeof authResult>[0], headers: IncomingHttpHeaders) =>
    authResult(step, headers, cookies);

  bind("register", async ({ body, headers, origin }) =>
    signedIn(await signIn.register(body, origin), headers),
  );

  bind("checkSignUp", async ({ body }) => {
    const { name, password } = await signIn.check(body);
    return {
      ...(name === null ? {} : { username: { state: name } }),
      ...(password === null
        ? {}
        : { password: { score: password.score, is_accepted: password.isAccepted, hint: password.hint } }),
    };
  });

  bind("login", async ({ body, headers, origin, cookies: sent }) => {
    const { login, password, device_id: inBody } = body;
    const viaCookie = !isBearerMode(headers);
    const knownDevice = viaCookie ? await sessions.deviceIn(sent) : (inBody ?? null);
    return signedIn(await signIn.login({ login, password, knownDevice, viaCookie }, origin), headers);
  });

  bind("refresh", async ({ body, headers, origin, cookies: sent }) => {
    const bearerMode = isBearerMode(headers);
    const token = bearerMode ? body?.refresh_token : sent.refresh[0];
    if (!token) throw new ServiceError("auth_required");
    if (bearerMode) return signedIn(await sessions.refresh(token, origin), headers);
    requireClientHeader({ method: "POST", headers });
    try {
      return signedIn(await sessions.refreshByCookie(sent, origin), headers);
    } catch (err) {
      // Of several, another one may be that of a session that goes on.
      if (!isSessionEnd(err) || sent.refresh.length > 1) throw err;
      throw new RefusalWithCookies(err, clearedCookies(cookies));
    }
  });

  bind("logout", async ({ caller, origin }) => {
    await sessions.logout(caller, origin);
    return reply({ cookies: caller.via === "cookie" ? clearedCookies(cookies) : [] });
  });

  bind("createWsTicket", async ({ caller }) => {
    const { ticket, expiresInSeconds } = await tokens.issueTicket(caller);
    return { ticket, expires_in: expiresInSeconds };
  });
}

/** Whether a refused refresh means that its session has ended: with its cookies, reads that need no sign-in would be refused too. */
const isSessionEnd = (err: unknown): err is ServiceError =>
  err instanceof ServiceError && (err.code === "invalid_token" || err.code === "account_banned");
