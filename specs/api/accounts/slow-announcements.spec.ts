// @waits: for announcements of a host that is cut from Redis
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { PASSWORD } from "./two-factor/account.ts";

describe("ends of sessions on a host that is cut from Redis", () => {
  const { world, given } = setUpWorld({ requestSlots: 1 });
  let announcing = 0;
  before(() => {
    world.core.rooms.endSession = () => {
      announcing++;
      return Promise.reject(new Error("Connection is closed."));
    };
  });

  /** Returns what begins the end. */
  const ends: Record<string, (person: Person) => Promise<() => Promise<{ status: number }>>> = {
    logout:
      async ({ api }) =>
      () =>
        api.call("logout"),
    async deleteApiToken({ api }) {
      const { id } = await api.ok("createApiToken", { body: { name: "bot", scopes: ["chat:read"] } });
      return () => api.call("deleteApiToken", { params: { token_id: id } });
    },
    async endSessions(person) {
      const { api } = await given.signedInAgain(person);
      return () => api.call("endSessions");
    },
    deleteMe:
      async ({ api }) =>
      () =>
        api.call("deleteMe", { body: { password: PASSWORD } }),
  };

  for (const [operation, prepare] of Object.entries(ends)) {
    it(`keep no other request waiting while ${operation} announces them`, async () => {
      const [person, other] = [await given.user(), await given.user()];
      const begin = await prepare(person);
      const before = announcing;
      let isAnswered = false;

      const ended = begin().finally(() => {
        isAnswered = true;
      });
      await eventually(() => announcing > before, { what: "the end is announced" });
      const { status } = await other.api.call("getMe");

      expect([status, isAnswered]).deep.equal([200, false]);
      expect((await ended).status).equal(204);
    });
  }
});
