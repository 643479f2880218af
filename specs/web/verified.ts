import { usersCollection } from "../../store/mongo/accounts/users.ts";
import type { Person } from "../support/given-channels.ts";
import type { World } from "../support/world.ts";

/** As after the link in the mail: these people may whisper. */
export async function verifyEmails({ core }: World, ...people: Person[]): Promise<void> {
  await usersCollection
    .in(core.mongo.db)
    .updateMany({ _id: { $in: people.map(({ id }) => id) } }, { $set: { emailVerifiedAt: new Date() } });
}
