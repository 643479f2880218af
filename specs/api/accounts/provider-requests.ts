import type { CallOptions } from "../../support/api.ts";
import type { CallerName } from "../authorization/expectations.ts";
import { once } from "../authorization/once.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";
import { FORM } from "../authorization/toolbox.ts";

const params = { provider: "app" };

/** Requests that involve a provider: each caller has an account there. */
export const providerRequests: ResourceRequests = {
  requests({ provider, people }) {
    async function link(caller: CallerName): Promise<CallOptions> {
      return { params, body: await provider.nativeCode(`${caller} there`) };
    }
    const linkedUser = once(async () => people.user.api.ok("linkProvider", await link("user")));
    return {
      values: { provider: () => params.provider },
      prepared: {
        forwardOauthPost: () => ({ params, headers: FORM, body: "state=any&code=any" }),
      },
      ofCaller: {
        // With a linked account, or it would ask for a username.
        signInWithOauth: async () => {
          await linkedUser();
          return link("user");
        },
        linkProvider: link,
        unlinkProvider: async (caller) => {
          await people.accountOf(caller)?.api.ok("linkProvider", await link(caller));
          return { params };
        },
      },
    };
  },

  shown: {
    forwardOauthPost: "nowhere",
    linkProvider: "nowhere",
    signInWithOauth: "nowhere",
    startOauthLink: "nowhere",
  },

  fields: { "signInWithOauth body.username": "a new name" },
};
