import { expect } from "chai";
import sharp from "sharp";
import { eventually } from "../../support/eventually.ts";
import { givenChannels, type Person } from "../../support/given-channels.ts";
import { headOf, RawConnection } from "../../support/raw-http.ts";
import { openWorld, type World } from "../../support/world.ts";

describe("Uploads that take their time", function () {
  this.timeout(30_000);
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  const open: RawConnection[] = [];
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });

  const BODY = "not a picture";

  /** Its head alone; the body is still to come. */
  function begin({ token }: Person): RawConnection {
    const connection = new RawConnection(Number(new URL(world.baseUrl).port));
    open.push(connection);
    const lines = [`Authorization: Bearer ${token}`, "X-Auth-Mode: bearer", "Content-Type: image/png"];
    connection.write(headOf("PUT /v1/users/me/avatar", ...lines, `Content-Length: ${BODY.length}`));
    return connection;
  }

  it("are two at a time of one user, who keeps no other out", async () => {
    const given = givenChannels(world);
    const [slow, other] = [await given.user(), await given.user()];
    const body = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#ff0000" } })
      .png()
      .toBuffer();
    const put = (person: Person) =>
      person.api.call("setAvatar", { body, headers: { "content-type": "image/png" } });

    const begun = [begin(slow), begin(slow), begin(slow)];
    const answered = () => begun.filter((one) => one.statuses().length > 0);
    await eventually(() => answered().length === 1, { what: "one of three is refused" });
    expect(answered()[0]?.text()).include("429").and.include("uploads_at_once");
    expect((await put(other)).status).equal(200);

    for (const one of begun) if (one.statuses().length === 0) one.write(BODY);
    await eventually(() => answered().length === 3, { what: "the others end" });
    expect((await put(slow)).status).equal(200);
  });
});
