import { eventually } from "./eventually.ts";
import type { Channel, Given, Person } from "./given-channels.ts";
import { givenStaffMember } from "./two-factor.ts";
import type { World } from "./world.ts";

/** Fixtures: staff, and what is reported to them. */
export function givenStaff({ core, api }: Pick<World, "core" | "api">, given: Given) {
  return {
    async staff(): Promise<Person> {
      const person = await given.user();
      return { ...person, authenticator: await givenStaffMember(core, person) };
    },

    /** Sends a message in that channel and waits until it can be reported; returns its uuid. */
    async message({ at }: Channel, author: Person, content: string): Promise<string> {
      const { uuid } = await author.api.ok("sendChatMessage", { params: at, body: { content } });
      const db = core.mongo.db;
      const isKept = async () =>
        (await db.collection<{ _id: string }>("chat_messages").countDocuments({ _id: uuid })) === 1;
      await eventually(isKept, { what: "the message is in the archive" });
      return uuid;
    },

    /** The id of the report case about that target. */
    async caseOf(targetId: string): Promise<string> {
      const doc = await core.mongo.db
        .collection<{ _id: string }>("report_cases")
        .findOne({ targetId }, { sort: { createdAt: -1 } });
      if (!doc) throw new Error("nothing was reported of it");
      return doc._id;
    },

    /** The login of a banned user; its refusal says how to appeal. */
    refusedLogin: ({ username }: Person) =>
      api
        .with({ "x-auth-mode": "bearer" })
        .call("login", { body: { login: username, password: "a long phrase for specs" } }),
  };
}

export type GivenStaff = ReturnType<typeof givenStaff>;
