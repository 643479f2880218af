import { expect } from "chai";
import { runUnpaidTips } from "../../../jobs/monetization/unpaid-tips.ts";
import { givenBilling } from "../../support/billing.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const DAY = 86_400_000;

describe("Tips that nobody pays", () => {
  const { world } = setUpWorld();

  it("are hidden after a day and kept 30 more, and are booked when they are paid after all", async () => {
    const receiver = await givenChannels(world).user();
    const body = { to_user_id: receiver.id, amount_cents: 500, currency: "USD" };
    const { checkout_url } = await world.api.ok("createTipCheckout", { body });
    const { db } = world.core.mongo;
    const hide = (afterMs: number) =>
      runUnpaidTips({ db, now: () => new Date(world.clock.now() + afterMs), log: quietLog() });
    const shown = async () => (await receiver.api.ok("listMyTips")).items.map(({ status }) => status);

    await hide(DAY - 60_000);
    expect(await shown()).deep.equal(["pending"]);
    await hide(DAY + 60_000);
    expect(await shown()).deep.equal([]);
    const tips = db.collection<{ toUserId: string; removeAt: Date | null }>("tips");
    const kept = await tips.findOne({ toUserId: receiver.id });
    expect((kept?.removeAt?.getTime() ?? 0) - world.clock.now()).within(31 * DAY, 31 * DAY + 120_000);

    await givenBilling(world).press(checkout_url, "pay");
    expect(await shown()).deep.equal(["completed"]);
    expect((await tips.findOne({ toUserId: receiver.id }))?.removeAt).equal(null);
  });
});
