// @waits: for what is shown twice a second.
import { setInterval as every } from "node:timers/promises";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { createChatMembers } from "../../../realtime/gateway/channels/chat-members.ts";
import { createEphemeralEvents } from "../../../realtime/gateway/channels/ephemeral-events.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";

const ROOMS = 25;

describe("a value that changes all the time", () => {
  it("is shown at most twice a second in every room, whenever it began to change, and the last of it", async () => {
    const shown = new Map<string, { at: number; value: number }[]>();
    const { receive, stop } = createEphemeralEvents({
      memberStates: { of: () => Promise.reject(new Error("nobody moderates here")) },
      members: createChatMembers({ onEntered: () => undefined, onLeft: () => undefined }),
      hasRoom: () => true,
      publish(topic, frame) {
        const [{ data }] = JSON.parse(String(frame));
        shown.set(topic, [...(shown.get(topic) ?? []), { at: performance.now(), value: data.value }]);
      },
      log: quietLog(),
    });
    const rooms = Array.from({ length: ROOMS }, newId);
    let value = 0;
    const begunAt = performance.now();
    for await (const _ of every(5)) {
      const elapsedMs = performance.now() - begunAt;
      if (elapsedMs > 2_000) break;
      value++;
      // One room more every 20 ms, so that they begin at all times of half a second.
      for (const room of rooms.slice(0, Math.ceil(elapsedMs / 20)))
        receive(room, { type: "chat.poll_progress", data: { value } });
    }
    await eventually(() =>
      expect([...shown.values()].map((all) => all.at(-1)?.value)).deep.equal(rooms.map(() => value)),
    );
    stop();

    const least = [...shown.values()].map((values) => {
      const gaps = values.slice(1).map(({ at }, i) => at - (values[i]?.at ?? 0));
      return Math.min(...gaps);
    });
    // What is written here is a few milliseconds off what the gateway went by.
    expect(Math.min(...least)).at.least(485);
  });
});
