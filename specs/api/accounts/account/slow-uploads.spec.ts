import { expect } from "chai";
import sharp from "sharp";
import { eventually } from "../../../support/eventually.ts";
import { givenChannels, type Person } from "../../../support/given-channels.ts";
import { headOf, RawConnection } from "../../../support/raw-http.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("Uploads that take their time", function () {
  this.timeout(60_000);
  const { world } = setUpWorld();
  const open: RawConnection[] = [];
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });

  const BODY = "not a picture";

  /** Its head alone; the body is still to come. */
  function begin({ token }: Person, length = `Content-Length: ${BODY.length}`): RawConnection {
    const connection = new RawConnection(Number(new URL(world.baseUrl).port));
    open.push(connection);
    const lines = [`Authorization: Bearer ${token}`, "X-Auth-Mode: bearer", "Content-Type: image/png"];
    connection.write(headOf("PUT /v1/users/me/avatar", ...lines, length));
    return connection;
  }

  const pixels = () =>
    sharp({ create: { width: 9, height: 9, channels: 3, background: "#ff0000" } })
      .png()
      .toBuffer();
  const put = (person: Person, body: Buffer) =>
    person.api.call("setAvatar", { body, headers: { "content-type": "image/png" } });

  it("are two at a time of one user, who keeps no other out", async () => {
    const given = givenChannels(world);
    const [slow, other] = [await given.user(), await given.user()];
    const body = await pixels();

    const begun = [begin(slow), begin(slow), begin(slow)];
    const answered = () => begun.filter((one) => one.statuses().length > 0);
    await eventually(() => answered().length === 1, { what: "one of three is refused" });
    expect(answered()[0]?.text()).include("429").and.include("uploads_at_once");
    expect((await put(other, body)).status).equal(200);

    for (const one of begun) if (one.statuses().length === 0) one.write(BODY);
    await eventually(() => answered().length === 3, { what: "the others end" });
    expect((await put(slow, body)).status).equal(200);
  });

  it("are sixteen at a time of all", async () => {
    const given = givenChannels(world);
    const body = await pixels();
    const other = await given.user();
    const eight = await Promise.all(Array.from({ length: 8 }, () => given.user()));
    const begun = eight.flatMap((person) => [begin(person), begin(person)]);

    const refused = await eventually(
      async () => {
        const answer = await put(other, body);
        if (answer.status === 200) throw new Error("there is still room");
        // Its own uploads of before may still count, on a busy machine.
        if (answer.code === "rate_limited") throw new Error("it has two itself");
        return answer;
      },
      { what: "one is refused once all of these are there" },
    );

    expect([refused.status, refused.code]).deep.equal([503, "unavailable"]);
    for (const one of begun) one.write(BODY);
    await eventually(() => begun.every((one) => one.statuses().length === 1), { what: "all of these end" });
    expect(begun.flatMap((one) => one.statuses())).deep.equal(Array(16).fill(415));
    expect((await put(other, body)).status).equal(200);
  });

  it("are refused past 5 MiB while they come, when they don't say how long they are", async () => {
    const endless = begin(await givenChannels(world).user(), "Transfer-Encoding: chunked");

    for (let sent = 0; sent <= 5 * 1024 * 1024; sent += 65_536)
      endless.write(`10000\r\n${"x".repeat(65_536)}\r\n`);

    await eventually(() => endless.statuses().length === 1, { what: "it is refused" });
    expect(endless.statuses()).deep.equal([413]);
  });

  it("are made two at a time, while ten wait, and no more", async () => {
    const body = await pixels();
    const given = givenChannels(world);
    const people = await Promise.all(Array.from({ length: 13 }, () => given.user()));

    const results = await Promise.allSettled(
      people.map(({ id }) => world.core.pictures.set(id, "avatar", body)),
    );

    const codes = results.map((one) => (one.status === "fulfilled" ? "made" : Object(one.reason).code));
    expect(codes).deep.equal([...Array(12).fill("made"), "unavailable"]);
  });
});
