// @waits: for the sweep of what has expired.
import { expect } from "chai";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("The author of a held message", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  let author: Person;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    channel = await given.channel();
    author = await given.user();
    const { owner, at } = channel;
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler", action: "hold" } });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  let texts = 0;
  const say = (content: string, nonce?: string) => {
    world.clock.move(1_100);
    const body = { content, ...(nonce === undefined ? {} : { nonce }) };
    return author.api.call("sendChatMessage", { params: channel.at, body });
  };
  async function hold(nonce?: string): Promise<string> {
    const answer = await say(`a spoiler ${++texts}`, nonce);
    expect(answer.status).equal(202);
    return String(Object(answer.body).id);
  }
  const approve = (held_id: string) =>
    channel.owner.api.call("approveHeldMessage", { params: { ...channel.at, held_id } });
  const deny = (held_id: string) =>
    channel.owner.api.call("denyHeldMessage", { params: { ...channel.at, held_id } });
  const waiting = async () =>
    (await channel.owner.api.ok("listHeldMessages", { params: channel.at })).items.map(({ id }) => id);
  const publishedIds = async () =>
    (await world.api.ok("listChatMessages", { params: channel.at })).items.map(({ uuid }) => uuid);

  async function follow(person: Person, path: string): Promise<Socket> {
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/${path}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  it("has it published once it is approved, whatever the room's modes, terms and rates have become", async () => {
    const { owner, at } = channel;
    const id = await hold();
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler", action: "block" } });
    const modes = { slow: 300, followers_only: 100, emote_only: true, unique_chat: true, shield_mode: true };
    await owner.api.ok("updateChatSettings", { params: at, body: { ...modes, chat_enabled: false } });

    expect((await approve(id)).status).equal(200);

    await eventually(async () => expect(await publishedIds()).include(id));
  });

  it("doesn't have it published once the account is banned from the service, and waits until somebody denies it", async () => {
    const [first, second] = [await hold(), await hold()];
    const staff = await givenStaff(world, given).staff();
    const account = { params: { account_id: author.id } };
    await staff.api.ok("banAccount", { ...account, body: { reason: "fraud" } });

    const refused = await approve(first);
    expect([refused.code, refused.details]).deep.equal(["invalid_state", { status: "author_gone" }]);
    expect(await waiting()).deep.equal([first, second]);
    expect((await deny(first)).status).equal(200);
    expect(await waiting()).deep.equal([second]);

    await staff.api.ok("unbanAccount", account);
    expect((await approve(second)).status).equal(200);
    await eventually(async () => expect(await publishedIds()).include(second));
  });

  it("gets the same answer to the same nonce, whatever was decided", async () => {
    const [approved, denied] = [await hold("n1"), await hold("n2")];
    expect((await approve(approved)).status).equal(200);
    expect((await deny(denied)).status).equal(200);
    await eventually(async () => expect(await publishedIds()).deep.equal([approved]));

    for (const [nonce, id] of [
      ["n1", approved],
      ["n2", denied],
    ] as const) {
      const again = await say("something else", nonce);
      expect([again.status, again.body]).deep.equal([202, { held: true, id }]);
    }
    expect(await publishedIds()).deep.equal([approved]);
  });

  it("is notified once of each outcome, and so are the moderators", async () => {
    const own = await follow(author, "user");
    const moderator = await follow(channel.owner, `chat/${channel.at.stream_id}`);
    const ids = [await hold(), await hold(), await hold()];
    const [first = "", second = ""] = ids;
    await approve(first);
    await deny(second);
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: author.id } });
    const outcomes = [
      { id: first, outcome: "approved" },
      { id: second, outcome: "denied" },
      { id: ids[2], outcome: "denied" },
    ];
    const resolutions = (socket: Socket, type: string) =>
      socket.ofType(type).map(({ data }) => ({ id: Object(data).id, outcome: Object(data).outcome }));

    await eventually(() => resolutions(own, "chat.held_resolved").length === 3, { withinMs: 20_000 });
    await eventually(() => resolutions(moderator, "mod.held_resolved").length === 3);
    // Whatever came twice would have come before this.
    await world.core.outbox.idle();
    await channel.owner.api.ok("clearChat", { params: channel.at });
    await moderator.next("chat.cleared");

    expect(resolutions(own, "chat.held_resolved")).deep.equal(outcomes);
    expect(resolutions(moderator, "mod.held_resolved")).deep.equal(outcomes);
    expect([...own.problems, ...moderator.problems]).deep.equal([]);
  });
});
