import { randomInt } from "node:crypto";
import { expect } from "chai";
import type { Answer } from "../../support/api.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/** With the limits as they are in production. */
describe("Reports and requests for help", () => {
  const { world } = setUpWorld({ rateLimitFactor: 1, trustedProxies: ["127.0.0.0/8"] });

  /** As somebody at an address that nothing has been counted for. */
  const fromElsewhere = () =>
    world.api.with({ "x-forwarded-for": `198.18.${randomInt(256)}.${randomInt(1, 255)}` });

  async function requireLimit(bucket: string, most: number, ask: () => Promise<Answer>): Promise<void> {
    for (let n = 0; n < most; n++) expect((await ask()).status, `request ${n + 1}`).equal(201);
    const refused = await ask();
    expect(refused).include({ status: 429, code: "rate_limited" });
    expect(refused.details).include({ bucket });
    expect(Number(refused.headers.get("retry-after"))).within(1, 3_600);
  }

  it("are taken 20 an hour of a user, of each by itself", async () => {
    const given = givenChannels({ ...world, api: fromElsewhere() });
    const nobody = fromElsewhere();
    const [one, other, target] = [await given.user(), await given.user(), await given.user()];
    const body = { target_type: "user", target_id: target.id, reason_code: "spam" } as const;
    await requireLimit("reports", 20, () => one.api.call("createReport", { body }));
    expect((await other.api.call("createReport", { body })).status).equal(201);
    // Nobody's count by their address.
    await requireLimit("reports", 20, () => nobody.call("createReport", { body }));
  });

  it("are taken five an hour of an address", async () => {
    const nobody = fromElsewhere();
    const body = {
      kind: "support",
      email: "fan@example.com",
      subject: "Help",
      message: "It is broken.",
    } as const;
    await requireLimit("support", 5, () => nobody.call("createSupportRequest", { body }));
  });
});
