// @waits: for runs of the sweeps.
import { expect } from "chai";
import type { Renamed } from "../../../../actors/accounts/profile/renames.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Given, givenChannels } from "../../../support/given-channels.ts";
import { viewRoom } from "../../../support/room-viewer.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { newName, type Opened, openAccounts, origin } from "../open-accounts.ts";

describe("A changed username", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  it("is known to other processes within seconds, whatever an access token says", async () => {
    const other = opened.another();
    await other.start();
    const { accessToken, caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);
    const received: Renamed[] = [];
    other.directory.onRenamed((renamed) => received.push(renamed));
    const username = newName();

    await opened.accounts.profile.updateMe(caller, { username }, origin);

    expect(await opened.accounts.tokens.authenticate(accessToken, "bearer")).include({ username });
    await eventually(() => received.length > 0);
    expect(received).deep.equal([{ userId: caller.userId, username }]);
    expect(await other.tokens.authenticate(accessToken, "bearer")).include({ username });
    expect(await other.tokens.redeemTicket(ticket)).include({ username });
    expect(other.directory.newNameOf(caller.userId)).equal(username);
    await other.stop();
  });

  it("is found by an index", async () => {
    const found = await opened.stores.mongo.db
      .collection("users")
      .find({ usernameChangedAt: { $gte: new Date() } })
      .sort({ usernameChangedAt: -1 })
      .explain("executionStats");

    expect(JSON.stringify(found.queryPlanner.winningPlan)).include('"usernameChangedAt_1"');
  });
});

describe("A user who is in a room under a name that changes", () => {
  let world: World;
  let given: Given;
  before(async () => {
    world = await openWorld();
    given = givenChannels(world);
  });
  after(() => world.close());

  it("speaks under the new one, by the socket that was open before", async () => {
    const { at } = await given.channel();
    const person = await given.user();
    const { client, problems } = viewRoom({
      http: world.baseUrl,
      streamId: at.stream_id,
      ticket: async () => (await person.api.ok("createWsTicket")).ticket,
    });
    await eventually(() => client.isLive);
    await client.say("before");

    const username = newName();
    await person.api.ok("updateMe", { body: { username } });
    // One message a second.
    await eventually(() => client.say("after"));
    client.close();

    const { items } = await world.api.ok("listChatMessages", { params: at });
    expect(items.map((item) => item.username)).deep.equal([person.username, username]);
    expect(problems).deep.equal([]);
  });
});
