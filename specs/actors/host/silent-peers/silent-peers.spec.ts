// @waits: for the deadlines of machines that don't answer.
import { expect } from "chai";
import { withDeadline } from "../../../../base/deadline.ts";
import { FAULTS, type Fault } from "./faulty-server.ts";
import { PEERS } from "./peers.ts";

/** On a busy machine, and a pause before a second attempt. */
const SLACK_MS = 2_500;

type Outcome = { tookMs: number; isAnswered: boolean; isHealed: boolean };

/** After so much more than its deadline, a use counts as one without an end. */
const ENDLESS_MS = 10_000;

/** One use while the fault lasts, and one after it. */
async function under(fault: Fault, { open, deadlineMs }: (typeof PEERS)[string]): Promise<Outcome> {
  const { server, use, close } = await open();
  const succeeds = () =>
    withDeadline(use(), performance.now() + deadlineMs + ENDLESS_MS, () => new Error("it has no end")).then(
      () => true,
      () => false,
    );
  try {
    // The connection that is open then.
    if (fault === "dropped") await use();
    server.begin(fault);
    const from = performance.now();
    const isAnswered = await succeeds();
    const tookMs = performance.now() - from;
    server.heal();
    return { tookMs, isAnswered, isHealed: await succeeds() };
  } finally {
    close?.();
    await server.close();
  }
}

const faults = Object.keys(FAULTS) as Fault[];

describe("Machines that the service sends requests to", function () {
  this.timeout(90_000);
  /** By peer and fault; all at once, since each only waits. */
  const outcomes = new Map<string, Outcome>();
  before(async () => {
    await Promise.all(
      Object.entries(PEERS).flatMap(([name, peer]) =>
        faults.map(async (fault) => void outcomes.set(`${name} ${fault}`, await under(fault, peer))),
      ),
    );
  });

  for (const [name, { deadlineMs, needsStatusOnly }] of Object.entries(PEERS))
    for (const fault of faults)
      it(`hold nothing up beyond their deadline when ${name} ${FAULTS[fault]}`, () => {
        const { tookMs, isAnswered, isHealed } = outcomes.get(`${name} ${fault}`) ?? {};

        expect(tookMs).below(deadlineMs + SLACK_MS);
        expect({ isAnswered, isHealed }).deep.equal({
          isAnswered: fault === "endless" && needsStatusOnly === true,
          isHealed: true,
        });
      });
});
