import type { CallOptions } from "../../support/api.ts";
import type { IdentityProvider } from "../../support/identity-provider.ts";
import type { CallerName } from "./expectations.ts";
import { once } from "./once.ts";
import type { People } from "./people.ts";

const params = { provider: "app" };

/** Requests that involve a provider: each caller has an account there. */
export function providerRequests(provider: IdentityProvider, people: People) {
  async function link(caller: CallerName): Promise<CallOptions> {
    return { params, body: await provider.nativeCode(`${caller} there`) };
  }
  const linkedUser = once(async () => people.user.api.ok("linkProvider", await link("user")));
  return {
    // With a linked account, or it would ask for a username.
    signInWithOauth: async (): Promise<CallOptions> => {
      await linkedUser();
      return link("user");
    },
    linkProvider: link,
    unlinkProvider: async (caller: CallerName): Promise<CallOptions> => {
      await people.accountOf(caller)?.api.ok("linkProvider", await link(caller));
      return { params };
    },
  };
}
