import type { Api } from "../../support/api.ts";
import type { Person } from "../../support/given-channels.ts";
import { givenPasskey, newPasskey } from "../../support/passkey.ts";
import { OTHERS_NOT_FOUND } from "../authorization/expectations.ts";
import { once } from "../authorization/once.ts";
import { PASSWORD } from "../authorization/people.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";

/** Requests about the sender's own passkeys. */
export const passkeyRequests: ResourceRequests = {
  requests({ world: { api }, people }) {
    const { authenticators, accountOf, user } = people;
    const bearer = api.with({ "x-auth-mode": "bearer" });

    /** Their first session, in which passkeys can be added then. */
    async function steppedUp(person: Person): Promise<Api> {
      const code = authenticators.get(person.id)?.recoveryCodes.pop();
      await person.api.ok("stepUp", { body: code === undefined ? { password: PASSWORD } : { code } });
      return person.api;
    }

    /** Of somebody who isn't a caller. */
    const passkey = once(async () => (await givenPasskey((await people.newPerson()).api)).passkey);

    return {
      values: { passkey_id: async () => (await givenPasskey(await steppedUp(user))).made.id },
      prepared: {
        signInWithPasskey: async () => {
          const credential = (await passkey()).get(await bearer.ok("startPasskeySignIn"));
          return { body: { credential }, headers: { "x-auth-mode": "bearer" } };
        },
      },
      ofCaller: {
        startPasskeyStepUp: async (caller) => {
          await givenPasskey(await steppedUp(accountOf(caller) ?? user));
          return {};
        },
        createPasskey: async (caller) => {
          const owner = await steppedUp(accountOf(caller) ?? user);
          const credential = newPasskey().create(await owner.ok("startPasskeyRegistration"));
          return { body: { name: "A phone", credential } };
        },
      },
    };
  },

  expected: {
    updatePasskey: OTHERS_NOT_FOUND,
    deletePasskey: OTHERS_NOT_FOUND,
  },

  shown: {
    createPasskey: "in the caller's own channel or account",
    updatePasskey: "in the caller's own channel or account",
    signInWithPasskey: "nowhere",
  },
};
