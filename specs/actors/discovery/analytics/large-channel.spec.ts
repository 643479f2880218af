import { expect } from "chai";
import { withSeed } from "../../../stress/seed.ts";
import { runLargeChannel } from "./large-channel.ts";

describe("The figures of a large channel", function () {
  this.timeout(120_000);

  it("are what was written down, and read in time while it goes on", async () => {
    // Beside other specs a time says little: what is looked at does.
    const options = { rows: 20_000, requests: 20, p99Ms: 5_000 };
    const { hours } = await withSeed((seed, print) => runLargeChannel({ seed, ...options }, print));
    expect(hours).greaterThan(90 * 4);
  });
});
