import { newLink } from "../../../actors/identity/email-links.ts";
import { type EmailTokenPurpose, emailTokensCollection } from "../../../store/mongo/email-tokens.ts";
import type { CallOptions, OperationId } from "../../support/api.ts";
import type { World } from "../../support/world.ts";
import type { CallerName } from "./expectations.ts";
import { PASSWORD, type People } from "./people.ts";

/** Requests with mailed links, each of a user who isn't a caller. */
export function emailRequests(world: World, people: People) {
  async function linkTo(purpose: EmailTokenPurpose): Promise<string> {
    const person = await people.newPerson();
    const { email } = await person.api.ok("getMe");
    if (!email) throw new Error("one sees one's own address");
    const { token, doc } = newLink(purpose, { userId: person.id, email }, world.clock.now());
    await emailTokensCollection.in(world.core.mongo.db).replaceOne({ _id: doc._id }, doc, { upsert: true });
    return token;
  }

  const prepared: Partial<Record<OperationId, (caller: CallerName) => Promise<CallOptions>>> = {
    verifyEmail: async () => ({ body: { token: await linkTo("verify") } }),
    undoEmailChange: async () => ({ body: { token: await linkTo("undo") } }),
    undoTwoFactor: async () => ({ body: { token: await linkTo("undo_two_factor") } }),
    unsubscribeFromMails: async () => {
      const { id } = await people.newPerson();
      return { query: { token: world.core.unsubscribing.tokenFor(id) } };
    },
    resetPassword: async () => ({ body: { token: await linkTo("reset"), password: PASSWORD } }),
  };
  return { prepared };
}
