import { withSeed } from "../../stress/seed.ts";
import { runAuthority } from "./authority.ts";

describe("Ban, timeout, modes, log-out and demotion, under talk by all ways", function () {
  this.timeout(90_000);

  it("are in force with their answer, and heard of by every open socket", () =>
    withSeed((seed, say) =>
      runAuthority({ seed, sockets: 24, rounds: 1, rooms: 3, reachP99Ms: 2_000 }, say),
    ));
});
