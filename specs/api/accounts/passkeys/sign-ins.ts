import type { Answer } from "../../../support/api.ts";
import { givenPasskey, newPasskey, type Otherwise, type SoftPasskey } from "../../../support/passkey.ts";
import type { World } from "../../../support/world.ts";
import { accountsIn } from "../two-factor/account.ts";

/** Fixtures: accounts of a world with a passkey, and their sign-ins with it in bearer mode. */
export function passkeySignInsIn(world: World) {
  const accounts = accountsIn(world);
  const start = () => accounts.bearer.ok("startPasskeySignIn");
  const finish = (credential: object, more: object = {}): Promise<Answer> =>
    accounts.bearer.call("signInWithPasskey", { body: { credential, ...more } });
  return {
    accounts,
    start,
    finish,
    async withPasskey(passkey: SoftPasskey = newPasskey()) {
      const account = await accounts.account();
      return { ...account, ...(await givenPasskey(account.api, passkey)) };
    },
    signIn: async (passkey: SoftPasskey, other: Otherwise = {}) => finish(passkey.get(await start(), other)),
    /** The reasons that the audit log has for refusing the user's sign-ins, in their order. */
    refusalsOf: (userId: string | null) =>
      world.auditedOf("sign_in.refused", userId).map(({ reason }) => reason),
  };
}
