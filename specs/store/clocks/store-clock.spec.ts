import { expect } from "chai";
import { type Bounds, createStoreClock, TOLERANCE_MS } from "../../../base/clock.ts";
import { clockFault } from "../../../store/clocks/clock-watch.ts";

const NOON = Date.UTC(2026, 0, 1, 12);

/** Clocks of a host and of two stores, all right at first; `monotonic` counts from 0 at noon. */
function madeUpClocks() {
  const wrongBy = { host: 0, mongodb: 0, redis: 0 };
  const passed = { monotonic: 0, suspended: 0 };
  const real = () => NOON + passed.monotonic + passed.suspended;
  const clock = createStoreClock({
    wall: () => real() + wrongBy.host,
    monotonic: () => passed.monotonic,
    uptime: () => passed.monotonic + passed.suspended,
  });
  const boundsOf = (ms: number, spread = 0): Bounds => {
    const apart = ms - passed.monotonic;
    return { from: apart - spread, to: apart + spread };
  };
  return {
    clock,
    wrongBy,
    real,
    pass(ms: number): void {
      passed.monotonic += ms;
    },
    suspend(ms: number): void {
      passed.suspended += ms;
    },
    measure(has: { mongodb?: boolean; redis?: boolean; spread?: number } = {}) {
      const { mongodb = true, redis = true, spread = 0 } = has;
      const ofRedis = boundsOf(real() + wrongBy.redis, spread);
      clock.follow({
        mongodb: mongodb ? boundsOf(real() + wrongBy.mongodb, spread) : null,
        redis: new Map(redis ? [["redis:6379", ofRedis]] : []),
      });
    },
  };
}

describe("the clock of a process", () => {
  for (const seconds of [8, -8, 300, -300]) {
    it(`shows MongoDB's time on a host whose clock is ${seconds} s off, and isn't trusted`, () => {
      const { clock, wrongBy, real, pass, measure } = madeUpClocks();
      wrongBy.host = seconds * 1_000;

      measure();
      pass(60_000);

      expect(clock.now()).equal(real());
      expect(clock.isTrusted()).equal(false);
      expect(clock.wrong()).equal("host");
      expect(clock.offsets()).deep.equal({ mongodb: seconds * 1_000, redis: seconds * 1_000 });
    });
  }

  it("trusts its time while clocks differ by no more than the tolerance", () => {
    const { clock, wrongBy, measure } = madeUpClocks();
    measure();

    for (const ms of [TOLERANCE_MS, -TOLERANCE_MS]) {
      wrongBy.host = ms;
      expect(clock.isTrusted()).equal(true);
      wrongBy.host = ms * 1.001;
      expect(clock.isTrusted()).equal(false);
    }
  });

  it("stays where it is when the host's clock jumps, and loses trust at once", () => {
    const { clock, wrongBy, real, pass, measure } = madeUpClocks();
    measure();

    wrongBy.host = 300_000;

    expect([clock.now(), clock.isTrusted()]).deep.equal([real(), false]);
    pass(1_000);
    wrongBy.host = 0;
    expect([clock.now(), clock.isTrusted()]).deep.equal([real(), true]);
  });

  it("keeps its correction while MongoDB doesn't answer", () => {
    const { clock, wrongBy, real, pass, measure } = madeUpClocks();
    wrongBy.host = 2_000;
    measure();

    pass(3_600_000);
    measure({ mongodb: false });

    expect(clock.now()).equal(real());
  });

  it("doesn't follow a new primary of MongoDB against the host's clock and Redis'", () => {
    const { clock, wrongBy, real, pass, measure } = madeUpClocks();
    measure();

    wrongBy.mongodb = 300_000;
    pass(5_000);
    measure();

    expect(clock.now()).equal(real());
    expect(clock.isTrusted()).equal(false);
    expect(clockFault(clock)).equal("the clock of MongoDB is wrong: the host's is 300.0 s behind it");
    wrongBy.mongodb = 0;
    measure();
    expect([clock.now(), clock.isTrusted()]).deep.equal([real(), true]);
  });

  it("begins by MongoDB's time although the host's and Redis' agree against it", () => {
    const { clock, wrongBy, real, pass, measure } = madeUpClocks();
    wrongBy.host = 8_000;
    wrongBy.redis = 8_000;

    for (const passedMs of [0, 5_000, 5_000]) {
      pass(passedMs);
      measure();

      expect([clock.now(), clock.wrong(), clock.isTrusted()]).deep.equal([real(), "mongodb", false]);
    }
  });

  it("keeps to a MongoDB that drifts slowly, also where no other clock agrees with it", () => {
    const { clock, wrongBy, real, pass, measure } = madeUpClocks();
    wrongBy.host = 8_000;
    wrongBy.redis = 8_000;
    measure();
    for (wrongBy.mongodb = 0; wrongBy.mongodb < 5_000; wrongBy.mongodb += 100) {
      pass(5_000);
      measure();

      expect(clock.now()).equal(real() + wrongBy.mongodb);
    }
  });

  it("goes on by the time of the process that it began with, when a new primary's is wrong", () => {
    const { clock, wrongBy, real, measure } = madeUpClocks();
    wrongBy.host = 1_000;
    clock.begin(-1_000);
    wrongBy.mongodb = 8_000;

    measure();

    expect([clock.now(), clock.wrong()]).deep.equal([real(), "mongodb"]);
  });

  it("follows a new primary within the tolerance, and stands still rather than go back", () => {
    const { clock, wrongBy, real, pass, measure } = madeUpClocks();
    measure();

    wrongBy.mongodb = 2_000;
    measure();
    expect(clock.now()).equal(real() + 2_000);

    wrongBy.mongodb = 0;
    measure();
    const shown = clock.now();
    pass(1_500);
    expect(clock.now()).equal(shown);
    pass(1_500);
    expect(clock.now()).equal(real());
  });

  it("regains trust after a suspension with the next measurement", () => {
    const { clock, real, suspend, measure } = madeUpClocks();
    measure();

    suspend(3_600_000);
    expect(clock.isTrusted()).equal(false);

    measure();
    expect([clock.now(), clock.isTrusted()]).deep.equal([real(), true]);
  });

  it("keeps MongoDB's time while Redis' clock is wrong, and names Redis as the wrong one", () => {
    const { clock, wrongBy, real, measure } = madeUpClocks();
    wrongBy.redis = -8_000;

    measure();

    expect([clock.now(), clock.isTrusted()]).deep.equal([real(), true]);
    expect(clockFault(clock)).equal("the clock of Redis is wrong: the host's is 8.0 s ahead of it");
  });

  it("moves after a slow measurement no further than its round trip leaves certain", () => {
    const { clock, real, pass, measure, wrongBy } = madeUpClocks();
    measure();

    wrongBy.mongodb = 400;
    pass(5_000);
    measure({ spread: 500 });
    expect(clock.now()).equal(real());

    wrongBy.mongodb = 700;
    measure({ spread: 500 });
    expect(clock.now()).equal(real() + 200);
  });
});
