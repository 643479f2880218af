import { expect } from "chai";
import { createRedisElsewhere } from "../../../realtime/gateway/socket/redis-elsewhere.ts";
import { createSockets } from "../../../realtime/gateway/socket/sockets.ts";
import { quietLog } from "../../support/quiet-log.ts";

/** On real processes: specs/deploy/serving.spec.ts. */
describe("a realtime worker that hears nothing from Redis while another host does", () => {
  const silence = { ms: 0, isElsewhere: true };
  const elsewhere = createRedisElsewhere({
    sockets: createSockets(),
    silentMs: () => silence.ms,
    isElsewhere: () => silence.isElsewhere,
    log: quietLog(),
  });
  after(() => elsewhere.stop());

  it("refuses upgrades with unavailable after ten seconds, and none before", () => {
    silence.ms = 9_999;
    expect(elsewhere.requireHere).not.throw();

    silence.ms = 10_000;
    expect(elsewhere.requireHere).throw().include({ code: "unavailable", retryAfterMs: 1_000 });
  });

  it("accepts upgrades again once Redis answers it, or no other host", () => {
    silence.ms = 60_000;
    silence.isElsewhere = false;
    expect(elsewhere.requireHere).not.throw();

    silence.isElsewhere = true;
    silence.ms = 0;
    expect(elsewhere.requireHere).not.throw();
  });
});
