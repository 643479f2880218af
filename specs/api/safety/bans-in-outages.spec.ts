// @waits: for stores that are away.
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { hasEnded } from "../../../realtime/rooms/scripts/end-session.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { eventually } from "../../support/eventually.ts";
import { type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { openMongod } from "../../support/own-mongod.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { openWorld, type World } from "../../support/world.ts";

describe("A ban whose commit is the last that MongoDB does for a while", function () {
  this.timeout(120_000);
  let mongod: Awaited<ReturnType<typeof openMongod>>;
  let stores: Stores;
  let world: World;
  let given: Given;
  let staff: Person;
  let frozen = false;

  before(async () => {
    mongod = await openMongod();
    const database = `livecore_spec_${randomBytes(6).toString("hex")}`;
    stores = await openStores(database, { mongodbUrl: mongod.url, monitorCommands: true });
    world = await openWorld({ stores: async () => stores });
    given = givenChannels(world);
    staff = await givenStaff(world, given).staff();
  });
  afterEach(async () => {
    mongod.thaw();
    frozen = false;
    await eventually(async () => (await staff.api.call("listSupportRequests")).status === 200, {
      withinMs: 30_000,
    });
  });
  after(async () => {
    mongod.thaw();
    await world.close();
    await mongod.close();
  });

  /** From the moment on in which the driver learns that a ban is committed. */
  function freezeAfterCommit(): void {
    const { client } = stores.mongo;
    let banning = "";
    let committing = -1;
    const sessionOf = (command: { lsid?: { id: { toString(encoding: "hex"): string } } }) =>
      command.lsid?.id.toString("hex") ?? "";
    client.on("commandStarted", ({ commandName, command, requestId }) => {
      if (commandName === "insert" && command.insert === "account_bans") banning = sessionOf(command);
      if (commandName === "commitTransaction" && banning !== "" && sessionOf(command) === banning)
        committing = requestId;
    });
    client.on("commandSucceeded", ({ requestId }) => {
      if (requestId !== committing) return;
      client.removeAllListeners("commandStarted").removeAllListeners("commandSucceeded");
      mongod.freeze();
      frozen = true;
    });
  }

  async function watching() {
    const [channel, person] = [await given.channel(), await given.user()];
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.at.stream_id}?ticket=${ticket}`);
    await socket.next("subscribed");
    const [session] = await world.core.sessions.list(person.id);
    return { person, socket, sessionId: session?._id ?? "" };
  }

  /** All that a banned user must not go on with, and that staff did it. */
  async function isOut({ person, socket, sessionId }: Awaited<ReturnType<typeof watching>>): Promise<void> {
    await eventually(() => socket.closed !== null, { withinMs: 15_000, what: "the socket is closed" });
    expect(frozen).equal(true);
    expect(socket.closed?.reason).equal("session_revoked");
    expect(await hasEnded(stores.redis, sessionId)).equal(true);
    const lines = world.audited.filter((line) => line.accountId === person.id);
    expect(lines.map(({ event, userId }) => [event, userId])).deep.include.members([
      ["account.banned", staff.id],
      ["session.ended", staff.id],
    ]);
  }

  // Several statements wait for the server in vain, each for seconds.
  const withinMs = 60_000;
  const on = (person: Person) => ({
    params: { account_id: person.id },
    body: { reason: "Insults" },
    withinMs,
  });

  it("closes sockets all the same, and is answered", async () => {
    const banned = await watching();
    freezeAfterCommit();

    const answer = staff.api.call("banAccount", on(banned.person));

    await isOut(banned);
    expect((await answer).status).equal(200);
  });

  it("of a third strike too, which is given once", async () => {
    const banned = await watching();
    for (let n = 0; n < 2; n++) await staff.api.ok("giveStrike", on(banned.person));
    freezeAfterCommit();

    const answer = staff.api.call("giveStrike", on(banned.person));

    await isOut(banned);
    expect((await answer).status).equal(201);
  });

  for (const type of ["account_ban", "strike"] as const)
    it(`of a report that is decided by ${type} too`, async () => {
      const [banned, reporter] = [await watching(), await given.user()];
      if (type === "strike") for (let n = 0; n < 2; n++) await staff.api.ok("giveStrike", on(banned.person));
      const about = { target_type: "user", target_id: banned.person.id, reason_code: "hate" };
      await reporter.api.ok("createReport", { body: about });
      const params = { report_id: await givenStaff(world, given).caseOf(banned.person.id) };
      await staff.api.ok("handleReport", { params, body: { action: "claim" } });
      freezeAfterCommit();

      const body = { action: "act", measures: [{ type, reason: "Hate" }] };
      const answer = staff.api.call("handleReport", { params, body, withinMs });

      await isOut(banned);
      await answer;
    });
});
