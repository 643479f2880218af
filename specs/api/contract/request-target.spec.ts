import { connect } from "node:net";
import { expect } from "chai";
import { type OpenedApp, openApp } from "./open-app.ts";

describe("a request whose target or host isn't clear", () => {
  let app: OpenedApp;
  before(async () => {
    app = await openApp(({ bind }) => bind("getHealth", () => ({ status: "ok" as const })));
  });
  after(() => app.close());

  /** Answers to these requests on one connection, the last of which ends it. */
  const answersTo = (targets: readonly string[], more = ""): Promise<string> =>
    new Promise((resolve, reject) => {
      let answers = "";
      const socket = connect(Number(new URL(app.baseUrl).port), "127.0.0.1");
      socket.on("data", (bytes) => {
        answers += bytes.toString("latin1");
      });
      socket.once("error", reject).once("close", () => resolve(answers));
      const last = targets.length - 1;
      for (const [n, target] of targets.entries()) {
        const connection = n === last && more === "" ? "Connection: close\r\n" : more;
        socket.write(`GET ${target} HTTP/1.1\r\nHost: here\r\n${connection}\r\n`);
      }
    });
  const statusesIn = (answers: string) =>
    [...answers.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);

  it("is refused with the envelope, noted, and counted like any other refusal", async () => {
    for (const target of ["foo://bar", "http://["]) {
      const before = app.answered.length;
      const answer = await answersTo([target]);
      expect(statusesIn(answer)).deep.equal(["400"]);
      expect(answer)
        .match(/x-request-id: /i)
        .include('"code":"validation_failed"')
        .include("content-security-policy");
      expect(app.answered.length - before).equal(1);
    }
    const two = await answersTo(["foo://bar", "foo://bar"]);
    const [first, second] = [...two.matchAll(/ratelimit-remaining: (\d+)/gi)].map(([, left]) => Number(left));
    expect(second).below(first ?? 0);
  });

  it("is refused with two Host headers, of which a proxy may have read the other one", async () => {
    const answer = await answersTo(["/healthz"], "Host: elsewhere\r\nConnection: close\r\n");

    expect(statusesIn(answer)).deep.equal(["400"]);
    expect(answer).include('"path":"/header/host"');
  });

  it("is refused as an upgrade too", async () => {
    const upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    expect(statusesIn(await answersTo(["foo://bar"], upgrade))[0]).match(/^4/);
  });

  it("is another one than a whole address, which is as good as its path", async () => {
    expect(statusesIn(await answersTo(["http://here/healthz"]))).deep.equal(["200"]);
  });
});
