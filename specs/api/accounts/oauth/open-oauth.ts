import { randomBytes } from "node:crypto";
import type { OauthProvider } from "../../../../actors/accounts/oauth/provider.ts";
import type { InstanceSettings } from "../../../../api/system/instance/instance.ts";
import { type Browser, createBrowser } from "../../../support/browser.ts";
import { movableClock } from "../../../support/clock.ts";
import {
  type IdentityProvider,
  startIdentityProvider,
  type ThereDoc,
} from "../../../support/identity-provider.ts";
import { openWorld } from "../../../support/world.ts";

export const PUBLIC = "https://livecore.example";
export const HOME = "https://app.example/";
export const SETTINGS_PAGE = "https://app.example/settings";
export const PASSWORD = "open sesame, said the spec";

export const newName = (): string => `o${randomBytes(8).toString("hex")}`;

export type OpenedOauth = Awaited<ReturnType<typeof openOauth>>;

/** The service with two providers, and browsers that move between them. */
export async function openOauth(
  options: {
    moving?: boolean;
    ofTwo?: Partial<OauthProvider>;
    rateLimitFactor?: number;
    trustedProxies?: string[];
    sendsMails?: boolean;
    plainCookiesHere?: boolean;
    cookieDomain?: string;
    instance?: Partial<InstanceSettings>;
  } = {},
) {
  const one = await startIdentityProvider("one");
  const two = await startIdentityProvider("two");
  const app = one.appSetting();
  const clock = movableClock();
  const { moving, ofTwo = {}, ...worldOptions } = options;
  const world = await openWorld({
    ...worldOptions,
    ...(moving ? { clock } : {}),
    oauth: { providers: [one.setting(), two.setting(ofTwo), app], returnUrls: [HOME, SETTINGS_PAGE] },
  });

  const browser = () => createBrowser({ [PUBLIC]: world.baseUrl });
  const startUrl = (provider: string, query = "") => `${PUBLIC}/v1/auth/oauth/${provider}/start${query}`;

  /** Creates an account at a provider; returns its name. */
  function there(at: IdentityProvider, doc: ThereDoc = {}): string {
    const login = newName();
    at.people.set(login, doc);
    return login;
  }

  /** The provider's page to which the service redirects. */
  const browserTo = (by: Browser, at: IdentityProvider) => by.sentTo(startUrl(at.id));

  /** The URL by which the provider redirects back. */
  async function wayBack(by: Browser, at: IdentityProvider, login: string, query = ""): Promise<string> {
    return by.approve(await by.sentTo(startUrl(at.id, query)), login);
  }

  /** The browser's final URL, and its fragment. */
  async function arrive(by: Browser, url: string) {
    const end = new URL(await by.sentTo(url));
    const fragment = Object.fromEntries(new URLSearchParams(end.hash.slice(1)));
    end.hash = "";
    return { page: end.href, fragment };
  }

  async function signIn(by: Browser, at: IdentityProvider, login: string, query = "") {
    return arrive(by, await wayBack(by, at, login, query));
  }

  /** The browser's signed-in user; null for none. */
  async function whoIs(by: Browser): Promise<string | null> {
    const response = await by.request(`${PUBLIC}/v1/users/me`);
    return response.ok ? String(Object(await response.json()).username) : null;
  }

  async function send(by: Browser, method: string, path: string, body?: unknown) {
    const response = await by.request(`${PUBLIC}${path}`, {
      method,
      headers: { "x-service-client": "specs", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: Record<string, unknown> = text === "" ? {} : Object(JSON.parse(text));
    return { status: response.status, code: answer.code, body: answer };
  }

  /** Completes a newcomer's account in that browser. */
  async function complete(by: Browser, at: IdentityProvider, token: unknown, more: Record<string, string>) {
    return send(by, "POST", `/v1/auth/oauth/${at.id}`, { completion_token: token, ...more });
  }

  /** Creates an account by a provider, signed in in that browser. */
  async function newcomer(by: Browser, at: IdentityProvider, doc: ThereDoc = {}) {
    const login = there(at, { email: `${newName()}@example.org`, email_verified: true, ...doc });
    const { fragment } = await signIn(by, at, login);
    const username = newName();
    const made = await complete(by, at, fragment.completion_token, { username });
    if (made.status !== 200) throw new Error(JSON.stringify(made));
    return { login, username, id: String(Object(made.body.user).id) };
  }

  /** Creates an account with a password; `isVerified`: its address is verified. */
  async function withPassword(isVerified: boolean) {
    const username = newName();
    const email = `${username}@example.org`;
    const body = { username, email, password: PASSWORD };
    const bearer = world.api.with({ "x-auth-mode": "bearer" });
    const { user, access_token: token = "" } = await bearer.ok("register", { body });
    const id = String(user?.id);
    const emailVerifiedAt = new Date();
    if (isVerified)
      await world.core.mongo.db
        .collection<{ _id: string }>("users")
        .updateOne({ _id: id }, { $set: { emailVerifiedAt } });
    return { username, email, id, api: world.api.as({ token }) };
  }

  return {
    world,
    clock,
    one,
    two,
    browser,
    browserTo,
    there,
    wayBack,
    arrive,
    signIn,
    whoIs,
    send,
    complete,
    newcomer,
    withPassword,
    async close(): Promise<void> {
      await world.close();
      await Promise.all([one.close(), two.close()]);
    },
  };
}
