import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { takeFaults } from "../../../support/frames/faults.ts";
import { SocketTraffic } from "../../../support/frames/socket-traffic.ts";

const specs = fileURLToPath(new URL("../../../", import.meta.url));
const USED = { bucket: "slow_mode", limit: 1, window_seconds: 30, retry_after_ms: 12_000 };
const channel = `chat:${newId()}`;

/** The faults found in a socket that sends and receives this. */
function faultsIn(exchange: (traffic: SocketTraffic) => void): string[] {
  exchange(new SocketTraffic());
  return takeFaults();
}

describe("The sockets of specs", () => {
  it("are found fault with for a frame that isn't the contract's, in both directions", () => {
    const bad = [
      [{ type: "chat.unknown", channel, seq: 1, data: {} }],
      [{ type: "chat.cleared", channel, seq: 1, data: { secret: 1 } }],
      [{ type: "stream.live", channel, data: { stream_id: newId(), live_since: new Date().toISOString() } }],
      { type: "hello" },
    ];
    for (const frame of bad) {
      expect(
        faultsIn((traffic) => traffic.received(JSON.stringify(frame))),
        JSON.stringify(frame),
      ).length(1);
    }
    expect(faultsIn((traffic) => traffic.sent(`{"id":1,"method":"subscribe"}`))).length(1);
  });

  it("are found fault with for a reply that isn't its command's", () => {
    const replied = (method: string, params: object, reply: object) =>
      faultsIn((traffic) => {
        traffic.sent(JSON.stringify({ id: 1, method, params }));
        traffic.received(JSON.stringify([{ type: "reply", id: 1, ...reply }]));
      });
    const error = { code: "slow_mode", message: "Wait.", details: USED };
    const send = (other: object) =>
      replied("chat.send", { channel, content: "a" }, { error: { ...error, ...other } });

    expect(replied("unsubscribe", { channel }, { data: { viewer_count: 1 } })).length(1);
    expect(replied("unsubscribe", { channel }, { error })).length(1);
    expect(replied("unsubscribe", { channel }, { data: { channel } })).deep.equal([]);
    expect(send({})).deep.equal([]);
    expect(send({ details: undefined })).length(1);
    expect(send({ details: { ...USED, secret: 1 } })).length(1);
    expect(send({ code: "emote_only" })).length(1);
    expect(send({ code: "emote_only", details: undefined })).deep.equal([]);
  });

  it("are of no other kind", () => {
    const uses = new RegExp(`from "${"ws"}"|new WebSocket\\(`);
    const others = readdirSync(specs, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => uses.test(readFileSync(file, "utf8")));

    expect(others.map((file) => file.slice(specs.length)).sort()).deep.equal([
      // An older release has frames that this contract doesn't describe.
      "soak/releases/beside.ts",
      "support/frames/checked-socket.ts",
    ]);
  });
});
