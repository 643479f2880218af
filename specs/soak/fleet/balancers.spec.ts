// @waits: for the checks of the stores, and for those of the balancers.
import { expect } from "chai";
import { BALANCERS, programOf } from "./balancer-programs.ts";
import { runBalancer } from "./balancers.ts";

describe("balancers in front of two hosts, by the lines of docs/balancers.md", function () {
  this.timeout(180_000);

  for (const balancer of BALANCERS) {
    it(`lose no request when one host loses Redis or a jobs worker (${balancer})`, async function () {
      if (programOf(balancer) === null) {
        process.stdout.write(`      There is no ${balancer} here (apt-get install ${balancer}).\n`);
        this.skip();
      }

      const figures = await runBalancer({ balancer, everywhere: false }, () => undefined);

      expect(figures.requests).above(100);
    });
  }
});
