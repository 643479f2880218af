/**
 * Signing in by an external provider (decision 0045):
 * 1. A browser is sent to the provider with a state, a nonce and a PKCE challenge. The flow is stored in Redis under the
 *    state's hash, bound to a secret in that browser's cookie.
 * 2. It comes back with a code. The state is consumed; path, browser, issuer, verifier and nonce must match.
 *    Native clients do this part themselves and send code, verifier and nonce.
 * 3. The confirmed user is found by issuer and subject. A user who isn't linked yet, with an address that both the provider and
 *    an account here have verified, is linked to that account, in which everything else ends; any other chooses a name and gets a new account.
 */

import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { createSealing, type MasterKey } from "../../keys/sealing.ts";
import type { Mails } from "../../mail/mails.ts";
import type { OpenedSession, SecondFactorPending } from "../sessions/opened-session.ts";
import type { UserSessions } from "../sessions/user-sessions.ts";
import type { Recovery } from "../sign-in/recovery.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import { bindingOf, newSecret } from "../tokens/browser-secrets.ts";
import type { SignedIn } from "../tokens/caller.ts";
import type { PresentedCookies } from "../tokens/cookie-sessions.ts";
import { linkSessionOf, requireSameSession } from "./link-sessions.ts";
import { createLinks } from "./links.ts";
import { createPending, type Flow, PENDING_SECONDS } from "./pending.ts";
import type { OauthSettings, Profile } from "./provider.ts";
import { createProviderClient, type ProviderClient } from "./provider-client.ts";

type Deps = {
  mongo: Mongo;
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  audit: Audit;
  mails: Pick<Mails, "request">;
  signIn: Pick<
    SignIn,
    "signInProven" | "registerProven" | "findByAddress" | "requireNotBanned" | "requireSignUpOpen"
  >;
  recovery: Pick<Recovery, "takeOver" | "takenOver">;
  sessions: Pick<UserSessions, "requireActive" | "endedWith" | "deviceIn" | "isBrowserOf">;
  masterKey: MasterKey;
  publicUrl: string;
  oauthSettings: OauthSettings;
};

/** The device that signs in. `secret`: known to this device only; unfinished sign-ins are bound to it. */
type Device = { secret: string; knownDevice: string | null; viaCookie: boolean };

/** A session, or a sign-in that still needs a second factor. */
type Step = OpenedSession | SecondFactorPending;

/** What a native client got from the provider. */
type NativeCode = {
  code: string;
  verifier: string;
  redirectUri: string;
  nonce: string | null;
  /** The issuer that came with the code. */
  iss: string | null;
};

/** Pages of this service's own site that send browsers to providers. */
const OWN_PAGES = ["/sign-in", "/settings/connections"];

export function createOauth(deps: Deps) {
  const { sessions, signIn, audit, oauthSettings, publicUrl } = deps;
  const { providers, returnUrls } = oauthSettings;
  const allowedReturns = new Set([...returnUrls, ...OWN_PAGES.map((path) => publicUrl + path)]);
  const pending = createPending({ ...deps, sealing: createSealing(deps.masterKey) });
  const links = createLinks({ ...deps, providers });
  const clients = new Map(providers.map((one) => [one.id, createProviderClient(one, deps)]));

  function require(providerId: string): ProviderClient {
    const found = clients.get(providerId);
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  const redirectUriOf = (providerId: string) => `${publicUrl}/v1/auth/oauth/${providerId}/callback`;

  function requireReturnUrl(wanted: string | undefined): string {
    if (wanted === undefined) return returnUrls[0];
    if (allowedReturns.has(wanted)) return wanted;
    throw invalid({
      path: "/query/return_to",
      rule: "listed",
      message: "is none of the addresses that browsers may return to",
    });
  }

  /** Begins a flow for the browser with that secret; returns the URL to send it to. */
  async function begin(
    providerId: string,
    { secret, returnTo, link }: { secret: string; returnTo: string | undefined; link: Flow["link"] },
  ): Promise<URL> {
    const client = require(providerId);
    const own = { nonce: newSecret(), verifier: newSecret() };
    const flow: Flow = {
      providerId,
      browser: bindingOf(secret),
      returnTo: requireReturnUrl(returnTo),
      link,
      ...own,
    };
    const state = await pending.begin(flow);
    return client.authorizationUrl(redirectUriOf(providerId), { state, ...own });
  }

  /** Consumes the flow of that state, whatever its outcome; null when it isn't this browser's. */
  async function takeFlow(providerId: string, state: string, secret: string | null): Promise<Flow | null> {
    const flow = await pending.take(state);
    if (!flow || secret === null || flow.browser !== bindingOf(secret)) return null;
    // Refuses a flow that returns on another provider's path, as protection against mix-up attacks.
    return flow.providerId === providerId ? flow : null;
  }

  async function profileOf({ providerId, nonce, verifier }: Flow, query: URLSearchParams): Promise<Profile> {
    const client = require(providerId);
    const url = new URL(`${redirectUriOf(providerId)}?${query}`);
    const expected = client.provider.kind === "oidc" ? nonce : null;
    return client.profile({ url, state: query.get("state") ?? "", verifier, nonce: expected });
  }

  async function nativeProfile(providerId: string, native: NativeCode): Promise<Profile> {
    const client = require(providerId);
    const { kind, nativeRedirectUris } = client.provider;
    if (!nativeRedirectUris.includes(native.redirectUri))
      throw invalid({ path: "/body/redirect_uri", rule: "listed", message: "is none of this provider's" });
    if (kind === "oidc" && native.nonce === null)
      throw invalid({ path: "/body/nonce", rule: "required", message: "is needed with this provider" });
    if (!(await pending.useCode(providerId, native.code))) throw new ServiceError("oauth_failed");
    const url = new URL(native.redirectUri);
    url.searchParams.set("code", native.code);
    if (native.iss !== null) url.searchParams.set("iss", native.iss);
    const { verifier } = native;
    try {
      return await client.profile({ url, verifier, nonce: kind === "oidc" ? native.nonce : null });
    } catch (err) {
      if (err instanceof ServiceError && err.code === "unavailable")
        await pending.giveBackCode(providerId, native.code);
      throw err;
    }
  }

  /** Signs in the user confirmed by the provider. Throws `username_required` for a newcomer, or `sign_up_closed`. */
  async function signInConfirmed(
    { provider }: ProviderClient,
    profile: Profile,
    device: Device,
    origin: Origin,
  ): Promise<Step> {
    const linked = await links.find(provider, profile.subject);
    if (linked) return signIn.signInProven(linked, device, origin);
    const owner = await ownerOf(profile);
    if (!owner) {
      signIn.requireSignUpOpen();
      const { email, isEmailVerified, subject } = profile;
      const newcomer = { issuer: provider.issuer, subject, email, isEmailVerified };
      const token = await pending.welcome({ ...newcomer, device: bindingOf(device.secret) });
      throw new ServiceError("username_required", {
        completion_token: token,
        expires_in: PENDING_SECONDS,
        email: email === null ? "required" : "known",
      });
    }
    requireProven(owner, origin);
    // Banned accounts are refused as with a password, and nothing is linked.
    if (owner.status !== "deleted") await signIn.requireNotBanned(owner, origin);
    requireLinkable(owner, origin);
    // Only a credential that opened a deleted account before may restore it; an address isn't one.
    if (owner.status === "deleted") throw new ServiceError("invalid_token");
    const link = await links.addByAddress(provider, profile.subject, owner, origin).catch((err: unknown) => {
      throw err instanceof ServiceError && err.code === "email_taken"
        ? refusal(owner, err.code, origin)
        : err;
    });
    return signIn.signInProven(link, device, origin);
  }

  /** The account with the profile's address, if the provider has verified it; an unverified address proves nothing. */
  async function ownerOf({ email, isEmailVerified }: Profile): Promise<UserDoc | null> {
    return email !== null && isEmailVerified ? signIn.findByAddress(email) : null;
  }

  /**
   * Refuses to link an account whose address was never verified here: a stranger may have registered it in advance for the
   * address's owner. The owner must first verify the address by mail, which revokes any access the stranger had.
   */
  function requireProven(owner: UserDoc, origin: Origin): void {
    if (owner.emailVerifiedAt === null) throw refusal(owner, "email_unverified", origin);
  }

  /** Staff, and users with a second factor, must link it themselves: a provider's word can't bypass the second factor. */
  function requireLinkable(owner: UserDoc, origin: Origin): void {
    if (owner.isStaff || owner.twoFactorEnabledAt) throw refusal(owner, "email_taken", origin);
  }

  function refusal(owner: UserDoc, code: "email_unverified" | "email_taken", origin: Origin): ServiceError {
    audit("sign_in.refused", { userId: owner._id, origin }, { reason: code });
    return new ServiceError(code);
  }

  const linkAsked = (
    { provider }: ProviderClient,
    { subject }: Profile,
    { userId, sessionId }: { userId: string; sessionId: string },
    origin: Origin,
  ) => links.addAsked(provider, subject, { userId, origin }, () => sessions.requireActive(sessionId));

  return {
    providers,
    newSecret,
    deviceIn: sessions.deviceIn,
    /** The redirect URI for that provider. Throws `not_found`. */
    redirectUriOf: (providerId: string) => redirectUriOf(require(providerId).provider.id),

    /** The URL for a browser to sign in. Throws `not_found`, `validation_failed`, `unavailable`. */
    start: (providerId: string, secret: string, returnTo: string | undefined) =>
      begin(providerId, { secret, returnTo, link: null }),
    /** The same for a signed-in user who wants to link the account. */
    startLink: (
      providerId: string,
      caller: SignedIn,
      { secret, sent }: { secret: string; sent: PresentedCookies },
      returnTo: string | undefined,
    ) => begin(providerId, { secret, returnTo, link: linkSessionOf(caller, sent) }),

    /**
     * Handles a browser's return; null for a flow that isn't this browser's. `finish` throws any refusal of the sign-in or the
     * link; for a link it returns null.
     */
    async arrive(
      providerId: string,
      query: URLSearchParams,
      { sent, ...device }: Omit<Device, "secret"> & { secret: string | null; sent: PresentedCookies },
      origin: Origin,
    ): Promise<{ returnTo: string; finish: () => Promise<Step | null> } | null> {
      require(providerId);
      const { secret } = device;
      const flow = await takeFlow(providerId, query.get("state") ?? "", secret);
      if (!flow || secret === null) return null;
      const finish = async () => {
        if (flow.link) await requireSameSession(sessions, flow.link, sent);
        const profile = await profileOf(flow, query);
        const client = require(providerId);
        if (!flow.link) return signInConfirmed(client, profile, { ...device, secret }, origin);
        await linkAsked(client, profile, flow.link, origin);
        return null;
      };
      return { returnTo: flow.returnTo, finish };
    },
    /** For a browser without a known flow. */
    defaultReturnUrl: returnUrls[0],

    /** Signs in with a native client's code. Throws `oauth_failed`, `username_required`, `email_unverified`, and like `login`. */
    async exchange(providerId: string, native: NativeCode, device: Device, origin: Origin): Promise<Step> {
      return signInConfirmed(require(providerId), await nativeProfile(providerId, native), device, origin);
    },
    async linkNative(providerId: string, native: NativeCode, caller: SignedIn, origin: Origin) {
      return linkAsked(require(providerId), await nativeProfile(providerId, native), caller, origin);
    },

    /** Creates a newcomer's account. Throws `invalid_token`, and like `register`. */
    async complete(
      providerId: string,
      chosen: { token: string; username: string; email: string | null; invitation?: string | undefined },
      secret: string | null,
      origin: Origin,
    ): Promise<OpenedSession> {
      const { provider } = require(providerId);
      const newcomer = await pending.newcomer(chosen.token);
      const isHere = secret !== null && newcomer?.device === bindingOf(secret);
      if (!newcomer || !isHere || newcomer.issuer !== provider.issuer)
        throw new ServiceError("invalid_token");
      const email = chosen.email ?? newcomer.email;
      if (email === null)
        throw invalid({
          path: "/body/email",
          rule: "required",
          message: "is needed: the provider gave none",
        });
      if (!(await pending.takeTry(chosen.token))) throw new ServiceError("invalid_token");
      const isEmailVerified =
        newcomer.isEmailVerified && email.toLowerCase() === newcomer.email?.toLowerCase();
      // The identity's unique key makes this idempotent, even if the token is used again.
      const signedIn = await signIn.registerProven(
        {
          username: chosen.username,
          email,
          isEmailVerified,
          linkId: links.idOf(provider, newcomer.subject),
          invitation: chosen.invitation,
        },
        (userId, session) => links.addNew(links.newDoc(provider, newcomer.subject, userId), session),
        origin,
      );
      links.noteNew(provider, signedIn.user._id, origin);
      await pending.endCompletion(chosen.token);
      return signedIn;
    },

    linked: (userId: string) => links.ofUser(userId),
    /** Throws `not_found`, `last_sign_in`. */
    async unlink(providerId: string, { userId, sessionId }: SignedIn, origin: Origin): Promise<void> {
      const by = { userId, origin };
      const { linkId, sessionIds } = await links.remove(providerId, by, sessionId);
      await sessions.endedWith({ linkId }, sessionId, sessionIds, by);
    },
  };
}
