import type { AccountParts } from "../../actors/accounts/accounts.ts";
import { CHALLENGE_SECONDS } from "../../actors/accounts/passkeys/challenges.ts";
import { newSecret, secretFrom } from "../../actors/accounts/tokens/browser-secrets.ts";
import type { Passkey } from "../../contract/wire.ts";
import type { PasskeyDoc } from "../../store/mongo/accounts/passkeys.ts";
import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import { reply } from "../http/reply.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { authResult, isBearerMode } from "./auth-result.ts";
import { type CookieConfig, passkeyCookie } from "./cookies.ts";

const view = ({ _id: id, name, createdAt, lastUsedAt, isSynced, transports }: PasskeyDoc): Passkey => ({
  id,
  name,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  is_synced: isSynced,
  transports,
});

const started = <Options>({ options, expiresIn }: { options: Options; expiresIn: number }) => ({
  options,
  expires_in: expiresIn,
});

export function passkeyRoutes(
  { bind, bindPage }: Operations,
  {
    passkeys,
    sessions,
    twoFactor,
    cookies,
  }: RouteDeps & Pick<AccountParts, "sessions" | "twoFactor"> & { cookies: CookieConfig },
): void {
  bind("startPasskeySignIn", async ({ headers }) => {
    if (isBearerMode(headers)) return reply({ body: started(await passkeys.startSignIn(null)) });
    const secret = newSecret();
    const body = started(await passkeys.startSignIn(secret));
    return reply({ body, cookies: [passkeyCookie(secret, CHALLENGE_SECONDS)] });
  });

  bind("signInWithPasskey", async ({ body, headers, origin, cookies: sent }) => {
    const viaCookie = !isBearerMode(headers);
    const knownDevice = viaCookie ? await sessions.deviceIn(sent) : (body.device_id ?? null);
    const device = { secret: secretFrom(sent.passkey), knownDevice, viaCookie };
    return authResult(await passkeys.signIn(body.credential, device, origin), headers, cookies);
  });

  bind("startPasskeyStepUp", async ({ caller }) => started(await passkeys.startStepUp(caller)));

  bind("startPasskeyRegistration", async ({ caller, origin }) =>
    started(await passkeys.startRegistration(await twoFactor.ownerOf(caller, origin))),
  );

  bindPage("listPasskeys", async ({ caller }, range) =>
    sliceOf((await passkeys.ofUser(caller.userId)).map(view), range),
  );

  bind("createPasskey", async ({ caller, body, origin }) =>
    view(await passkeys.add(await twoFactor.ownerOf(caller, origin), body)),
  );

  bind("updatePasskey", async ({ caller, params, body }) =>
    view(await passkeys.rename(caller.userId, params.passkey_id, body.name)),
  );

  bind("deletePasskey", async ({ caller, params, origin }) =>
    passkeys.remove(await twoFactor.ownerOf(caller, origin), params.passkey_id),
  );
}
