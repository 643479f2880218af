import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("what nobody expected", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("is answered with internal, without a word of what happened, and concerns nothing else", async () => {
    const [broken, whole] = [await given.channel(), await given.channel()];
    const streams = world.core.mongo.db.collection<{ _id: string; createdAt: unknown }>("streams");
    // As an operator's slip in the database would leave it: no date, but a text.
    await streams.updateOne({ _id: broken.stream.id }, { $set: { createdAt: "last winter" } });

    const answer = await world.api.call("getStream", { params: broken.at });

    expect(answer.status).equal(500);
    expect(answer.body).deep.equal({
      code: "internal",
      message: "Something went wrong on our side. Try again in a moment.",
    });
    expect(JSON.stringify(answer.body)).not.include("winter");
    expect((await world.api.call("getStream", { params: whole.at })).status).equal(200);
  });
});
