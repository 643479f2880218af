import { expect } from "chai";
import fc from "fast-check";
import { initialTransition, transition } from "xstate";
import { liveStreamMachine } from "../../../../actors/live/live-stream/machine.ts";

const PUBLISHED_AT = 1_000_000;

type Hook =
  | { type: "mediaLive"; mediaStreamId: string; sessionId: string; seenAt: number }
  | { type: "mediaIdle"; seenAt: number };

const hook: fc.Arbitrary<Hook> = fc
  .tuple(fc.boolean(), fc.integer({ min: -9, max: 20 }))
  .map(([isLive, second]) => {
    const seenAt = PUBLISHED_AT + second * 1_000;
    return isLive
      ? { type: "mediaLive", mediaStreamId: "m", sessionId: "t", seenAt }
      : { type: "mediaIdle", seenAt };
  });

/** The state in which a broadcast is after these hooks, in this order. */
function stateAfter(hooks: readonly Hook[]): unknown {
  const [offline] = initialTransition(liveStreamMachine, { ownerId: "o", at: 0 });
  const published = {
    type: "published",
    clientId: "1",
    sessionId: "s",
    keyHash: "k",
    waitsForMedia: true,
  } as const;
  let [snapshot] = transition(liveStreamMachine, offline, { ...published, at: PUBLISHED_AT });
  for (const event of hooks)
    [snapshot] = transition(liveStreamMachine, snapshot, { ...event, at: PUBLISHED_AT });
  return snapshot.value;
}

describe("hooks of the media service", () => {
  it("end the same in whatever order they come, and however often", () => {
    const hooks = fc.array(hook, { minLength: 1, maxLength: 6 });
    const deliveries = hooks.chain((sent) =>
      fc.tuple(
        fc.constant(sent),
        fc
          .array(fc.constantFrom(...sent), { maxLength: 6 })
          .chain((repeats) =>
            fc.shuffledSubarray([...sent, ...repeats], { minLength: sent.length + repeats.length }),
          ),
      ),
    );
    fc.assert(
      fc.property(deliveries, ([sent, delivered]) => {
        const inOrder = [...sent].sort(
          (one, other) => one.seenAt - other.seenAt || (one.type === "mediaLive" ? -1 : 1),
        );
        expect(stateAfter(delivered)).equal(stateAfter(inOrder));
      }),
      { numRuns: 2_000 },
    );
  });
});
