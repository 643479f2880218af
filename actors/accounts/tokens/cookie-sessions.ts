import { ServiceError } from "../../../contract/errors.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { Bindings } from "./bindings.ts";
import type { RefreshTokens } from "./refresh-tokens.ts";

/** The session's cookies that a request brings, in its order: a sibling host may have planted some of them. */
export type PresentedCookies = {
  access: readonly string[];
  refresh: readonly string[];
  devices: readonly string[];
  /** Null: none was sent, or bindings aren't used here (COOKIE_DOMAIN). */
  binding: string | null;
  /** A browser, which has the binding of every session that it was given. */
  needsBinding: boolean;
};

/** Each costs the check of a signature; more of one name are refused. */
const MOST_OF_A_NAME = 4;

/** Null unless there is exactly one. */
export const lone = ([only, ...more]: readonly string[]): string | null =>
  only === undefined || more.length > 0 ? null : only;

/**
 * Which of a request's cookies count (decision 104): those of the session to which the binding belongs, whichever come first.
 * Without a binding only a cookie that is alone.
 */
export function createCookieSessions(deps: {
  bindings: Bindings;
  accessTokens: Pick<AccessTokens, "verify">;
  refreshTokens: Pick<RefreshTokens, "read">;
}) {
  const { bindings, accessTokens, refreshTokens } = deps;

  /** Null for a token that isn't valid now. */
  async function sessionOfAccess(token: string): Promise<string | null> {
    try {
      return (await accessTokens.verify(token)).sessionId;
    } catch (err) {
      if (err instanceof ServiceError && err.code === "invalid_token") return null;
      throw err;
    }
  }
  const sessionOfRefresh = (token: string) => refreshTokens.read(token)?.sessionId ?? null;
  const sessionOfDevice = (device: string) => device.split(".")[0] ?? null;

  /** The value of the session to which the binding belongs, or null. */
  async function fitting(
    sent: readonly string[],
    binding: string | null,
    sessionOf: (value: string) => Promise<string | null> | string | null,
  ): Promise<string | null> {
    if (binding === null || sent.length > MOST_OF_A_NAME) return null;
    for (const value of sent) {
      const sessionId = await sessionOf(value);
      if (sessionId !== null && bindings.fits(sessionId, binding)) return value;
    }
    return null;
  }

  return {
    /** Throws `invalid_token`, upon which clients refresh: so browsers get the binding of a session from before there were any. */
    async accessTokenIn({ access, binding, needsBinding }: PresentedCookies): Promise<string> {
      const isUnbound = binding === null && !needsBinding;
      const token = isUnbound ? lone(access) : await fitting(access, binding, sessionOfAccess);
      if (token === null) throw new ServiceError("invalid_token");
      return token;
    },

    /**
     * `lacksBinding`: it counts only if its session was never given one, as by a worker of an earlier release, beside which a
     * binding of the browser's session before may have stayed. Throws `invalid_token`.
     */
    async refreshTokenIn({
      refresh,
      binding,
      needsBinding,
    }: PresentedCookies): Promise<{ token: string; lacksBinding: boolean }> {
      const own = await fitting(refresh, binding, sessionOfRefresh);
      const token = own ?? lone(refresh);
      if (token === null) throw new ServiceError("invalid_token");
      return { token, lacksBinding: own === null && (needsBinding || binding !== null) };
    },

    /** The device's token; null for none that counts. A device is remembered longer than its session, so one is enough. */
    deviceIn: async ({ devices, binding }: PresentedCookies): Promise<string | null> =>
      lone(devices) ?? (await fitting(devices, binding, sessionOfDevice)),

    /** Whether the browser is still in that session, as far as it shows one. */
    async isOf(sessionId: string, { access, binding }: PresentedCookies): Promise<boolean> {
      if (binding !== null) return bindings.fits(sessionId, binding);
      const shown = await Promise.all(access.slice(0, MOST_OF_A_NAME).map(sessionOfAccess));
      return shown.every((one) => one === null || one === sessionId);
    },
  };
}

export type CookieSessions = ReturnType<typeof createCookieSessions>;
