import { request } from "node:http";
import { expect } from "chai";
import { Registry } from "prom-client";
import { createMailboxApp } from "../../deploy/development/mail/mailbox-app.ts";
import { createMediaApp, listen } from "../../deploy/development/media/app.ts";
import { startInternalServer } from "../../deploy/processes/primary/internal-server.ts";
import { namesThisMachine } from "../../deploy/processes/process/local-host.ts";
import { quietLog } from "../support/quiet-log.ts";
import { statusAtHost } from "../support/status-at-host.ts";

const HERE = ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"];
const ELSEWHERE = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]"];
const MALFORMED = ["localhost:x", "a:b:c", "localhost@evil.example"];

describe("development pages on the internal port", () => {
  let port = 0;
  let close: () => Promise<void>;

  const opened = (host: string) =>
    startInternalServer({
      port: 0,
      host,
      log: quietLog(),
      readiness: async () => ({ ready: true, checks: {} }),
      own: new Registry(),
      workers: async () => [],
      checkout: (_request, response) => void response.end("a checkout"),
      mailbox: createMailboxApp({ mails: () => [] }),
    });

  before(async () => {
    ({ port, close } = await opened("127.0.0.1"));
  });
  after(() => close());

  for (const path of ["/mail", "/mail.json", "/mail/1", "/mail/1/html", "/checkout/token"]) {
    it(`${path} answers only at names of this machine`, async () => {
      for (const host of HERE)
        for (const name of [host, `${host}:${port}`])
          expect(await statusAtHost({ port, path, host: name }), name).not.equal(421);
      for (const host of [...ELSEWHERE, ...MALFORMED])
        for (const name of [host, `${host}:${port}`])
          expect(await statusAtHost({ port, path, host: name }), name).within(400, 421);
    });
  }

  it("serves pages at the address that METRICS_HOST names", async () => {
    const other = await opened("127.0.0.2");
    try {
      const ask = (host: string) =>
        new Promise<number>((resolve, reject) => {
          const sent = request({ host: "127.0.0.2", port: other.port, path: "/mail", headers: { host } });
          sent.once("response", (answer) => resolve(answer.resume().statusCode ?? 0));
          sent.once("error", reject);
          sent.end();
        });
      expect(await ask(`127.0.0.2:${other.port}`)).equal(200);
      expect(await ask(`127.0.0.3:${other.port}`)).equal(421);
    } finally {
      await other.close();
    }
  });

  it("serves pages at an IPv6 METRICS_HOST, which Host headers have in brackets", async () => {
    const other = await opened("::");
    try {
      const at = { port: other.port, path: "/mail" };
      for (const host of ["[::]", `[::]:${other.port}`, "[::1]"])
        expect(await statusAtHost({ ...at, host }), host).equal(200);
      for (const host of ["::", "[::2]"]) expect(await statusAtHost({ ...at, host }), host).equal(421);
    } finally {
      await other.close();
    }
  });

  it("serves pages at METRICS_HOST in the form that browsers send", () => {
    for (const [given, sent] of [
      ["Livecore.Internal", "livecore.internal:9464"],
      ["livecore.internal", "LIVECORE.INTERNAL"],
      ["FD00:0:0:0:0:0:0:7", "[fd00::7]:9464"],
    ] as const) {
      expect(namesThisMachine(sent, given), given).equal(true);
      expect(namesThisMachine(sent), given).equal(false);
    }
  });

  it("answers probes of operators at any name", async () => {
    for (const path of ["/readyz", "/metrics"])
      expect(await statusAtHost({ port, path, host: "livecore-0.internal:9464" })).equal(200);
  });
});

describe("the development media service", () => {
  it("takes hooks only at names of this machine", async () => {
    const nothing = () => undefined;
    const app = createMediaApp({
      live: { started: nothing, ended: nothing, deleteThumbnails: nothing },
      recordings: { finish: async () => undefined, remove: nothing },
      clips: { take: () => true, remove: nothing },
      files: { setVisibility: nothing },
      secrets: [],
      complain: nothing,
    });
    const { url, close } = await listen(app);
    const port = Number(new URL(url).port);
    try {
      const sent = { port, path: "/ended", method: "POST" };
      expect(await statusAtHost({ ...sent, host: `127.0.0.1:${port}` })).equal(204);
      for (const host of ELSEWHERE) expect(await statusAtHost({ ...sent, host }), host).equal(403);
    } finally {
      await close();
    }
  });
});
