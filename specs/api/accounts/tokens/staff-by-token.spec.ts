import { expect } from "chai";
import { ALL_SCOPES } from "../../../../contract/scopes.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { clipsCollection } from "../../../../store/mongo/live/clips.ts";
import type { Api, CallOptions, OperationId } from "../../../support/api.ts";
import { clipDoc } from "../../../support/clip-doc.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

/**
 * Becoming staff ends the account's tokens, of which other workers learn within a second. Here the account is made staff past that,
 * so that the token lasts as on a worker that hasn't learnt of its end.
 */
describe("personal tokens: an account that has just become staff", () => {
  const { world, given } = setUpWorld();
  let person: Person;
  let byToken: Api;
  let banned: Channel;
  let open: Channel;
  let clip_id: string;

  before(async () => {
    person = await given.user();
    [banned, open] = [await given.channel(), await given.channel()];
    const [session] = await world.core.sessions.list(person.id);
    if (!session) throw new Error("a registered user has a session");
    const { token } = await world.core.apiTokens.create(
      { name: "spec", scopes: ALL_SCOPES },
      { userId: person.id, sessionId: session._id },
      { ip: "203.0.113.7", userAgent: null, requestId: "spec" },
    );
    byToken = world.api.as({ token });
    await byToken.ok("getMe");
    const { db } = world.core.mongo;
    const users = usersCollection.in(db);
    await users.updateOne({ _id: banned.owner.id }, { $set: { status: "banned" } });
    const clip = clipDoc({
      streamId: open.stream.id,
      channelUserId: open.owner.id,
      userId: open.owner.id,
      visibility: "private",
    });
    await clipsCollection.in(db).insertOne(clip);
    clip_id = clip._id;
    const $set = { isStaff: true, twoFactorEnabledAt: new Date() };
    await users.updateOne({ _id: person.id }, { $set });
  });

  const CALLS: [OperationId, () => CallOptions, refusal: string][] = [
    ["getPublicProfile", () => ({ params: { username: banned.owner.username } }), "not_found"],
    ["getStream", () => ({ params: banned.at }), "not_found"],
    ["getClip", () => ({ params: { clip_id } }), "not_found"],
    ["listBans", () => ({ params: open.at }), "forbidden"],
    ["listRedemptions", () => ({ query: { channel_user_id: open.owner.id } }), "forbidden"],
    ["runChatCommand", () => ({ params: open.at, body: { command: "/slow 5" } }), "forbidden"],
  ];
  for (const [operation, request, refusal] of CALLS) {
    it(`answers ${operation} by token as for anybody, and by session as for staff`, async () => {
      expect((await byToken.call(operation, request())).code).equal(refusal);
      expect((await person.api.call(operation, request())).code).equal(null);
    });
  }
});
