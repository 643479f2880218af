import { withSeed } from "../../stress/seed.ts";
import { runTickets } from "./tickets.ts";

describe("Tickets over two workers", function () {
  this.timeout(60_000);

  it("open one socket each, however many race for one, and none when old or from elsewhere", () =>
    withSeed((seed, say) => runTickets({ seed, tickets: 100, racers: 5, others: 10 }, say)));
});
