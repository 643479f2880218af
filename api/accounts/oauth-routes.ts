import { PENDING_SECONDS } from "../../actors/accounts/oauth/pending.ts";
import { secretFrom } from "../../actors/accounts/tokens/browser-secrets.ts";
import { invalid, ServiceError } from "../../contract/errors.ts";
import type { LinkedProvider, OauthCode, OauthPost } from "../../contract/wire.ts";
import type { OauthIdentityDoc } from "../../store/mongo/accounts/oauth-identities.ts";
import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import { reply } from "../http/reply.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { authResult, isBearerMode } from "./auth-result.ts";
import { type CookieConfig, oauthCookie, pendingCookies, sessionCookies } from "./cookies.ts";

const INCOMPLETE = {
  path: "/body",
  rule: "required",
  message: "needs code, code_verifier and redirect_uri, or completion_token and username",
};

const nativeCode = ({ code, code_verifier, redirect_uri, nonce, iss }: OauthCode) => ({
  code,
  verifier: code_verifier,
  redirectUri: redirect_uri,
  nonce: nonce ?? null,
  iss: iss ?? null,
});

/** Providers may add other fields; only these count. */
const returnedParams = ({ state, code, iss, error }: OauthPost): URLSearchParams =>
  new URLSearchParams(
    Object.entries({ state, code, iss, error }).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/** The part of a refusal that a browser can read from the fragment, without a server of ours behind its page. */
function fragmentOf(err: ServiceError): URLSearchParams {
  const readable = Object.entries(err.details ?? {}).filter(
    ([, value]) => typeof value === "string" || typeof value === "number",
  );
  return new URLSearchParams([
    ["error", err.code],
    ...readable.map(([name, value]): [string, string] => [name, String(value)]),
  ]);
}

export function oauthRoutes(
  { bind, bindPage }: Operations,
  { oauth, cookies }: RouteDeps & { cookies: CookieConfig },
): void {
  const nameOf = (id: string) => oauth.providers.find((provider) => provider.id === id)?.name ?? id;
  const linkedView = ({ providerId, linkedAt }: OauthIdentityDoc): LinkedProvider => ({
    provider: providerId,
    name: nameOf(providerId),
    linked_at: linkedAt.toISOString(),
  });

  bindPage("listOauthProviders", (_request, range) =>
    sliceOf(
      oauth.providers.map(({ id, name, kind }) => ({ id, name, kind })),
      range,
    ),
  );

  bind("startOauth", async ({ params, query }) => {
    const secret = oauth.newSecret();
    const url = await oauth.start(params.provider, secret, query.return_to);
    return reply({
      status: 302,
      headers: { Location: url.href },
      cookies: [oauthCookie(secret, PENDING_SECONDS)],
    });
  });

  bind("forwardOauthPost", async ({ params, body }) => {
    const callback = `${oauth.redirectUriOf(params.provider)}?${returnedParams(body)}`;
    return reply({ status: 303, headers: { Location: callback } });
  });

  bind("finishOauth", async ({ params, query, cookies: sent, origin }) => {
    const device = {
      secret: secretFrom(sent.oauth),
      knownDevice: await oauth.deviceIn(sent),
      viaCookie: true,
      sent,
    };
    const arrival = await oauth.arrive(params.provider, returnedParams(query), device, origin);
    const to = (url: string, fragment: URLSearchParams | null = null) => ({
      status: 302,
      headers: { Location: fragment === null ? url : `${url}#${fragment}` },
    });
    if (!arrival) {
      const failed = new URLSearchParams({ error: "oauth_failed" });
      return reply({ ...to(oauth.defaultReturnUrl, failed), refused: "oauth_failed" });
    }
    const { returnTo, finish } = arrival;
    try {
      const signIn = await finish();
      if (signIn === null) return reply(to(returnTo, new URLSearchParams({ linked: params.provider })));
      if ("twoFactorToken" in signIn) {
        const rest = new URLSearchParams({ requires_2fa: "true", two_factor_token: signIn.twoFactorToken });
        return reply({ ...to(returnTo, rest), cookies: pendingCookies(signIn, cookies) });
      }
      return reply({ ...to(returnTo), cookies: sessionCookies(signIn, cookies) });
    } catch (err) {
      // A browser is redirected to its page with the reason, since it can't read an answer here.
      if (err instanceof ServiceError) {
        return reply({ ...to(returnTo, fragmentOf(err)), refused: err.code });
      }
      throw err;
    }
  });

  bind("signInWithOauth", async ({ params, body, headers, cookies: sent, origin, count }) => {
    const viaCookie = !isBearerMode(headers);
    const { code, code_verifier, redirect_uri, completion_token: token, username, email, invitation } = body;
    if (token !== undefined && username !== undefined) {
      // It creates an account, and reveals whether an address has one, as `register` does.
      await count("register");
      const secret = code_verifier ?? secretFrom(sent.oauth);
      const chosen = { token, username, email: email ?? null, invitation };
      return authResult(await oauth.complete(params.provider, chosen, secret, origin), headers, cookies);
    }
    if (code === undefined || code_verifier === undefined || redirect_uri === undefined)
      throw invalid(INCOMPLETE);
    const native = nativeCode({ ...body, code, code_verifier, redirect_uri });
    const knownDevice = viaCookie ? await oauth.deviceIn(sent) : (body.device_id ?? null);
    const device = { secret: code_verifier, knownDevice, viaCookie };
    return authResult(await oauth.exchange(params.provider, native, device, origin), headers, cookies);
  });

  bindPage("listLinkedProviders", async ({ caller }, range) =>
    sliceOf((await oauth.linked(caller.userId)).map(linkedView), range),
  );

  bind("startOauthLink", async ({ caller, params, body, cookies: sent }) => {
    const secret = oauth.newSecret();
    const url = await oauth.startLink(params.provider, caller, { secret, sent }, body?.return_to);
    return reply({
      body: { authorization_url: url.href, expires_in: PENDING_SECONDS },
      cookies: [oauthCookie(secret, PENDING_SECONDS)],
    });
  });

  bind("linkProvider", async ({ caller, params, body, origin }) =>
    linkedView(await oauth.linkNative(params.provider, nativeCode(body), caller, origin)),
  );

  bind("unlinkProvider", ({ caller, params, origin }) => oauth.unlink(params.provider, caller, origin));
}
