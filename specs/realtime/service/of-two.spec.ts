// @waits: for workers to come back, for sweeps, and for what sockets are sent.
import { expect } from "chai";
import { fanOutIn } from "../../actors/notifications/fan-out.ts";
import { withSeed } from "../../stress/seed.ts";
import { actUnderKills } from "../acts/acts-under-kills.ts";
import { playActs } from "../authority/authority.ts";
import { raceForTickets } from "../authority/tickets.ts";
import { killMany } from "../failures/many-kills.ts";
import { openService } from "../failures/with-service.ts";
import { talkWithTerms } from "../hot-room/load-with-terms.ts";

/** One service for all of them, since its start costs more than most of what follows; each has rooms and users of its own. */
describe("In a service of two workers of each kind,", function () {
  this.timeout(180_000);
  let opened: Awaited<ReturnType<typeof openService>>;
  before(async () => {
    opened = await openService({
      API_WORKERS: "2",
      REALTIME_WORKERS: "2",
      JOBS_WORKERS: "2",
      RATE_LIMIT_FACTOR: "1000",
    });
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

  it("a busy room with 300 terms loses no message, shows each once and in order, and goes by a new term from its answer on", () =>
    withSeed((seed, print) =>
      talkWithTerms(
        opened.service,
        {
          seed,
          perSecond: 80,
          speakers: 16,
          terms: 300,
          clients: 6,
          loadMs: 2_500,
          changeEveryMs: 800,
          // How many a busy machine keeps up with is for the full size.
          leastPerSecond: 5,
          ackP99Ms: 20_000,
        },
        print,
      ),
    ));

  it("a channel with many followers that goes live is announced to each of them once, while others go on", () =>
    withSeed((_seed, print) =>
      fanOutIn(
        opened.service,
        {
          followers: 3_000,
          perSecond: 10,
          fans: 20,
          calmMs: 500,
          notifiedWithinMs: 60_000,
          // How long others' requests take depends on what else this machine does; the full size holds them to the real goal.
          othersRatio: null,
          singlesWithinMs: 20_000,
        },
        print,
      ),
    ));

  it("decisions about held messages, votes, whispers and bots' waits while workers are killed are neither lost nor repeated", () =>
    withSeed((seed, print) =>
      actUnderKills(
        opened.service,
        { seed, rooms: 1, clients: 6, perSecond: 5, authors: 1, voters: 6, bots: 1, kills: 3 },
        print,
      ),
    ));

  it("clients whose worker is killed, and whose network is bad, miss no message and see none twice, also where nothing was said", () =>
    withSeed((seed, print) =>
      killMany(opened.service, { seed, clients: 20, rooms: 2, perSecond: 8, kills: 1, unlucky: 4 }, print),
    ));

  it("workers that hold sockets were counted as they died", async () => {
    const metrics = await (await fetch(`${opened.service.internal}/metrics`)).text();
    const [, deaths] =
      /^livecore_worker_restarts_total\{kind="realtime",worker="primary"\} (\d+)$/m.exec(metrics) ?? [];
    expect(Number(deaths)).least(1);
  });
});
