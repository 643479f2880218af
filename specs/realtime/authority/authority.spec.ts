// @waits: for what sockets are sent.
import { withSeed } from "../../stress/seed.ts";
import { openService } from "../failures/with-service.ts";
import { AUTHORITY_SERVICE, playActs } from "./authority.ts";
import { raceForTickets } from "./tickets.ts";

describe("Over two workers,", function () {
  this.timeout(90_000);
  let opened: Awaited<ReturnType<typeof openService>>;
  before(async () => {
    opened = await openService(AUTHORITY_SERVICE);
  });
  after(() => opened?.end());

  it("ban, timeout, modes, log-out and demotion are in force with their answer, and announced to every open socket", () =>
    withSeed((seed, print) =>
      playActs(opened.service, { seed, sockets: 24, rounds: 1, rooms: 6, reachP99Ms: 2_000 }, print),
    ));

  it("tickets open one socket each, however many race for one, and none when old or from elsewhere", () =>
    withSeed((seed, print) =>
      raceForTickets(opened.service, { seed, tickets: 100, racers: 5, others: 10 }, print),
    ));
});
