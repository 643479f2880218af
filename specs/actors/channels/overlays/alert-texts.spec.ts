import { setImmediate as soon } from "node:timers/promises";
import { expect } from "chai";
import { createAlertTexts } from "../../../../actors/channels/overlays/alert-texts.ts";
import { newId } from "../../../../base/ids.ts";
import type { ActivityDoc } from "../../../../store/mongo/discovery/activity-feed.ts";
import { standingClock } from "../../../support/clock.ts";

describe("texts of alerts", () => {
  it("are looked up a few at a time, however many tips there are", async () => {
    let running = 0;
    let most = 0;
    const clock = standingClock();
    const texts = createAlertTexts({
      rooms: {
        async findMessage() {
          running += 1;
          most = Math.max(most, running);
          await soon();
          running -= 1;
          return null;
        },
      },
      chatBans: { bansOf: async () => [] },
      actions: { lastOf: async () => null },
      clock,
    });
    const at = new Date(clock.now());

    const found = await texts.asInChat(
      newId(),
      Array.from({ length: 200 }, () => tipAt(at)),
    );

    expect(found.map(({ doc }) => "message" in doc && doc.message)).deep.equal(Array(200).fill(null));
    expect(most).within(1, 10);
  });
});

const tipAt = (at: Date): ActivityDoc => ({
  kind: "tip",
  at,
  doc: {
    _id: newId(),
    fromUserId: newId(),
    isAnonymous: false,
    toUserId: newId(),
    amountCents: 500,
    currency: "USD",
    message: "Hello",
    messageState: "shown",
    messageDecidedAt: at,
    status: "completed",
    isHidden: false,
    platformId: null,
    createdAt: at,
    paidAt: at,
    refundedAt: null,
    removeAt: null,
  },
});
