import { newLink } from "../../../actors/accounts/tokens/email-links.ts";
import { type EmailTokenPurpose, emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import { once } from "../authorization/once.ts";
import { PASSWORD } from "../authorization/people.ts";
import type { OwnRequests, ResourceRequests } from "../authorization/resource-requests.ts";
import type { Toolbox } from "../authorization/toolbox.ts";

/** Requests with mailed links, of a user who isn't a caller. */
export const emailRequests: ResourceRequests = { requests: withMailedLinks };

function withMailedLinks({ world, people }: Toolbox): OwnRequests {
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

  const prepared: OwnRequests["prepared"] = {
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
