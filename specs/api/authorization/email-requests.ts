import { newLink } from "../../../actors/accounts/tokens/email-links.ts";
import { type EmailTokenPurpose, emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import type { CallOptions, OperationId } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import { once } from "./once.ts";
import { PASSWORD, type People } from "./people.ts";

/** Requests with mailed links, of a user who isn't a caller. */
export function emailRequests(world: World, people: People) {
  const mailed = once(async () => {
    const { id: userId, api } = await people.newPerson();
    const { email } = await api.ok("getMe");
    if (!email) throw new Error("one sees one's own address");
    return { userId, email };
  });

  async function linkTo(purpose: EmailTokenPurpose): Promise<string> {
    const { token, doc } = newLink(purpose, await mailed(), world.clock.now());
    await emailTokensCollection.in(world.core.mongo.db).replaceOne({ _id: doc._id }, doc, { upsert: true });
    return token;
  }

  const prepared: Partial<Record<OperationId, () => Promise<CallOptions>>> = {
    verifyEmail: async () => ({ body: { token: await linkTo("verify") } }),
    undoEmailChange: async () => ({ body: { token: await linkTo("undo") } }),
    undoTwoFactor: async () => ({ body: { token: await linkTo("undo_two_factor") } }),
    unsubscribeFromMails: async () => ({
      query: { token: world.core.unsubscribing.tokenFor((await mailed()).userId) },
    }),
    resetPassword: async () => ({ body: { token: await linkTo("reset"), password: PASSWORD } }),
  };
  return { prepared };
}
