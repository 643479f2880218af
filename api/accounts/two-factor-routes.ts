import { toDataURL } from "qrcode";
import type { AccountParts } from "../../actors/accounts/accounts.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { authResult, isBearerMode } from "./auth-result.ts";
import type { CookieConfig } from "./cookies.ts";

export function twoFactorRoutes(
  { bind }: Operations,
  {
    signIn,
    twoFactor,
    passkeys,
    cookies,
  }: RouteDeps & Pick<AccountParts, "signIn" | "twoFactor"> & { cookies: CookieConfig },
): void {
  const { ownerOf } = twoFactor;

  bind("finishLogin", async ({ body, headers, origin, cookies: sent }) => {
    const viaCookie = !isBearerMode(headers);
    const { two_factor_token: token, code, device_id: inBody } = body;
    const inBearerMode = inBody === undefined ? [] : [inBody];
    const presented = viaCookie ? sent.devices : inBearerMode;
    const isBound = sent.needsBinding || sent.pendingSignIn !== null;
    const browser = viaCookie && isBound ? { binding: sent.pendingSignIn } : {};
    const completion = { token, code, devices: presented, viaCookie, ...browser };
    const opened = await signIn.finishLogin(completion, origin);
    return authResult(opened, headers, cookies);
  });

  bind("stepUp", async ({ caller, body, origin }) => {
    const owner = await ownerOf(caller, origin);
    const { passkey, ...typed } = body;
    const validUntil = passkey ? await passkeys.stepUp(owner, passkey) : await twoFactor.stepUp(owner, typed);
    return { valid_until: validUntil.toISOString() };
  });

  bind("setUpTwoFactor", async ({ caller, origin }) => {
    const { secret, uri, recoveryCodes } = await twoFactor.setUp(await ownerOf(caller, origin));
    return { secret, otpauth_url: uri, qr_code: await toDataURL(uri), recovery_codes: recoveryCodes };
  });

  bind("verifyTwoFactor", async ({ caller, body, origin }) => {
    await twoFactor.verify(await ownerOf(caller, origin), body.code);
    return { enabled: true };
  });

  bind("disableTwoFactor", async ({ caller, body, origin }) =>
    twoFactor.disable(await ownerOf(caller, origin), body),
  );

  bind("renewRecoveryCodes", async ({ caller, body, origin }) => ({
    recovery_codes: await twoFactor.renewRecoveryCodes(await ownerOf(caller, origin), body.code),
  }));
}
