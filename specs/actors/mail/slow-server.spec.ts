// @waits: for a mail server that is slow.
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { expect } from "chai";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { createMails } from "../../../actors/mail/mails.ts";
import { createSmtpTransport } from "../../../actors/mail/smtp.ts";
import { newId } from "../../../base/ids.ts";
import { silentMeter } from "../../../base/metrics.ts";
import { mailsCollection } from "../../../store/mongo/notifications/mails.ts";
import { standingClock } from "../../support/clock.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { eventually } from "../../support/eventually.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { Stores } from "../../support/stores.ts";

const FROM = { name: "livecore", address: "no-reply@livecore.example" };
const DRIP_MS = 50;

/** Never comes to the end of its answer about a recipient of slow.example, and is never silent. */
async function startDrippingServer() {
  const open = new Set<Socket>();
  const taken: string[] = [];
  const server: Server = createServer((socket) => {
    open.add(socket);
    let [rest, recipient, isText] = ["", "", false];
    let dripping: NodeJS.Timeout | undefined;
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      clearInterval(dripping);
      open.delete(socket);
    });
    const answers: [RegExp, () => void][] = [
      [/^RCPT TO:<.*@slow\.example>/, drip],
      [/^DATA/, takeText],
      [/^QUIT/, () => socket.end("221 bye\r\n")],
      [/./, () => reply("250 ok")],
    ];
    const reply = (line: string) => void socket.write(`${line}\r\n`);
    function drip(): void {
      dripping = setInterval(() => reply("250-wait"), DRIP_MS);
    }
    function takeText(): void {
      isText = true;
      reply("354 go on");
    }
    function onLine(line: string): void {
      if (!isText) {
        recipient = /^RCPT TO:<(.*)>/.exec(line)?.[1] ?? recipient;
        answers.find(([begins]) => begins.test(line))?.[1]();
      } else if (line === ".") {
        isText = false;
        taken.push(recipient);
        reply("250 taken");
      }
    }
    socket.on("data", (bytes) => {
      const lines = `${rest}${bytes}`.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    });
    reply("220 spec ESMTP");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { url: `smtp://127.0.0.1:${port}`, open, taken, close };
}

describe("A mail server that drips its answers", function () {
  this.timeout(60_000);
  let stores: Stores;
  let server: Awaited<ReturnType<typeof startDrippingServer>>;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());
  beforeEach(async () => {
    server = await startDrippingServer();
    await mailsCollection.in(stores.mongo.db).deleteMany({});
  });
  afterEach(() => server.close());

  const rows = () => mailsCollection.in(stores.mongo.db);
  const sent = () => rows().countDocuments({ state: "sent" });
  const begun = () => rows().countDocuments({ state: "waiting", tries: 1 });

  /** Tries that are under way end with the server. */
  async function ended(mails: { stop(): Promise<void> }): Promise<void> {
    await server.close();
    await mails.stop();
    server = await startDrippingServer();
  }

  function opened(deadlineMs: number) {
    const transport = createSmtpTransport({ url: server.url, from: FROM, deadlineMs });
    const clock = standingClock();
    const mails = createMails({
      mongo: stores.mongo,
      redis: stores.redis,
      clock,
      log: quietLog(),
      sealing: createSealing(MASTER_KEY),
      countingKey: Buffer.alloc(32),
      settings: { transport, linksUrl: "https://live.example" },
      meter: silentMeter(),
    });
    const ask = (to: string) =>
      mails.request({
        key: newId(),
        template: "reset_password" as const,
        to,
        userId: null,
        data: { username: "ana", token: "secret-token" },
      });
    return { mails, ask, clock };
  }

  it("has a whole try end at its deadline, with the connection", async () => {
    const { mails, ask } = opened(500);
    await ask("ana@slow.example");

    await mails.sweep();

    const row = await rows().findOne({});
    expect(row).include({ state: "waiting", tries: 1 });
    await eventually(() => server.open.size === 0, { what: "the connection is gone" });
    await mails.stop();
  });

  it("takes other mails meanwhile, and of those behind it each as soon as one before has ended", async () => {
    const { mails, ask } = opened(60_000);
    for (let i = 0; i < 8; i++) await ask(`slow${i}@slow.example`);
    for (let i = 0; i < 20; i++) await ask(`fast${i}@fast${i % 10}.example`);

    await mails.sweep();

    expect(await sent()).equal(20);
    expect(server.taken).length(20);
    expect(await begun(), "of the slow ones").equal(2);
    await ended(mails);
  });

  it("takes those that come while it drips, however many wait for it before them", async () => {
    const { mails, ask, clock } = opened(60_000);
    for (let i = 0; i < 150; i++) await ask(`slow${i}@slow.example`);
    await mails.sweep();
    await ask("fast@example.com");

    const isSent = async () => {
      await mails.sweep();
      return (await sent()) === 1;
    };
    await eventually(isSent, { withinMs: 30_000, what: "the fast one is sent" });

    expect(await begun(), "of the slow ones").equal(2);
    clock.move(5_000);
    const now = new Date(clock.now());
    expect(await rows().countDocuments({ tries: 0, dueAt: { $lte: now }, state: "waiting" })).equal(148);
    await ended(mails);
  });
});
