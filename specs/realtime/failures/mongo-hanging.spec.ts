// @waits: for the deadlines of a MongoDB that hangs.
import { withSeed } from "../../stress/seed.ts";
import { runMongoHanging } from "./mongo-hanging.ts";

describe("A MongoDB that hangs", function () {
  this.timeout(120_000);

  it("keeps nobody from talking, requests that need it are refused, and all goes on after it", () =>
    withSeed((seed, print) =>
      runMongoHanging(
        {
          seed,
          talkers: 12,
          calmMs: 1_500,
          frozenMs: 5_000,
          ackMostMs: 1_000,
          refusedWithinMs: 10_000,
        },
        print,
      ),
    ));
});
