import { inspect } from "node:util";
import { expect } from "chai";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { createMails, MAX_TRIES } from "../../../actors/mail/mails.ts";
import { createSmtpTransport } from "../../../actors/mail/smtp.ts";
import type { MailTransport } from "../../../actors/mail/transport.ts";
import { newId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import { silentMeter } from "../../../base/metrics.ts";
import { type MailSink, startMailSink } from "../../../deploy/development/mail/sink.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { mailsCollection } from "../../../store/mongo/notifications/mails.ts";
import { type MovableClock, standingClock } from "../../support/clock.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { eventually } from "../../support/eventually.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const FROM = { name: "livecore", address: "no-reply@livecore.example" };

describe("A mail", () => {
  let stores: Stores;
  let sink: MailSink;
  let transport: MailTransport;
  let clock: MovableClock;
  let lines: { level: string; args: unknown[] }[];
  let refusal: string | null = null;
  before(async () => {
    stores = await openStores();
    sink = await startMailSink({ refuse: () => refusal });
    transport = createSmtpTransport({ url: sink.url, from: FROM });
  });
  after(async () => {
    transport.close();
    await sink.close();
    await stores.close();
  });
  beforeEach(async () => {
    [refusal, clock, lines] = [null, standingClock(), []];
    await rows().deleteMany({});
  });

  const keep =
    (level: string) =>
    (...args: unknown[]) =>
      void lines.push({ level, args });
  const log: Log = {
    error: keep("error"),
    warn: keep("warn"),
    info: keep("info"),
    debug: keep("debug"),
    child: () => log,
  };
  const logged = () => inspect(lines, { depth: 9 });
  const errors = () => lines.filter(({ level }) => level === "error");
  const rows = () => mailsCollection.in(stores.mongo.db);
  const mailsBy = (by: MailTransport | null) =>
    createMails({
      mongo: stores.mongo,
      redis: stores.redis,
      clock,
      log,
      sealing: createSealing(MASTER_KEY),
      countingKey: Buffer.alloc(32),
      settings: { transport: by, linksUrl: "https://live.example" },
      meter: silentMeter(),
    });
  const addressOf = (name: string) => `${name}-${newId()}@example.com`;
  const reset = (to: string, key = newId()) => ({
    key,
    template: "reset_password" as const,
    to,
    userId: null,
    data: { username: "ana", token: "secret-token" },
  });
  const received = (to: string) => sink.mails().filter((mail) => mail.to.includes(to));

  it("is sent once for its key, by however many workers at a time", async () => {
    const to = addressOf("ana");
    const key = newId();
    for (let i = 0; i < 3; i++) await mailsBy(null).request(reset(to, key));
    const others = Array.from({ length: 12 }, (_, i) => addressOf(`o${i}`));
    for (const other of others) await mailsBy(null).request(reset(other));
    // Connections of their own, so that the workers are at it together.
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => rows().countDocuments()));
    await Promise.all([mailsBy(transport).sweep(), mailsBy(transport).sweep(), mailsBy(transport).sweep()]);
    await mailsBy(null).request(reset(to, key));
    await mailsBy(transport).sweep();

    for (const one of [to, ...others]) expect(received(one)).length(1);
    expect(received(to)[0]).include({ from: FROM.address, subject: "Reset your password" });
    expect(received(to)[0]?.text).contain("https://live.example/account/reset-password#token=secret-token");
    expect(received(to)[0]?.html).contain(
      'href="https://live.example/account/reset-password#token=secret-token"',
    );
  });

  it("isn't postponed because the same worker is sending others to its domain", async () => {
    const worker = mailsBy(transport);
    const [early, late] = [addressOf("early"), addressOf("late")];
    const others = Array.from({ length: 6 }, (_, i) => addressOf(`o${i}`));
    for (const one of [early, ...others]) await worker.request(reset(one));
    const first = worker.sweep();
    await eventually(() => received(early).length === 1 || received(others[0] ?? "").length === 1, {
      everyMs: 1,
    });
    await worker.request(reset(late));
    await Promise.all([first, worker.sweep()]);

    expect(await rows().countDocuments({ state: "waiting", dueAt: { $gt: new Date(clock.now()) } })).equal(0);
    await worker.sweep();
    expect(received(late)).length(1);
  });

  it("is requested with its cause or not at all", async () => {
    const to = addressOf("ana");
    await inTransaction(stores.mongo.client, async (session) => {
      await mailsBy(null).request(reset(to), session);
      throw new Error("the cause failed");
    }).catch(() => undefined);
    expect(await rows().countDocuments()).equal(0);

    await inTransaction(stores.mongo.client, (session) => mailsBy(null).request(reset(to), session));
    await mailsBy(transport).sweep();
    expect(received(to)).length(1);
  });

  it("leaves neither its recipient nor its link readable in the database, and nothing of them once it was sent", async () => {
    const to = addressOf("ana");
    await mailsBy(null).request(reset(to));
    const waiting = JSON.stringify(await rows().find().toArray());
    expect(waiting).not.contain(to).and.not.contain("secret-token");

    await mailsBy(transport).sweep();
    expect(await rows().findOne({})).include({ state: "sent", sealed: null });
  });

  it("is tried again later and later while the server is away, with the same Message-ID, then given up with an alert", async () => {
    const to = addressOf("ana");
    const tried: string[] = [];
    const away: MailTransport = {
      senderHost: "live.example",
      close: () => undefined,
      async send({ messageId }) {
        tried.push(messageId);
        throw new Error("away");
      },
    };
    await mailsBy(null).request(reset(to));
    const pauses: number[] = [];
    for (let i = 0; i < MAX_TRIES; i++) {
      await mailsBy(away).sweep();
      await mailsBy(away).sweep();
      expect(tried).length(i + 1);
      const { dueAt } = (await rows().findOne({})) ?? {};
      pauses.push((dueAt?.getTime() ?? 0) - clock.now());
      clock.move(pauses.at(-1) ?? 0);
    }
    expect(pauses.slice(0, 4)).deep.equal([5_000, 10_000, 20_000, 40_000]);
    expect(new Set(tried).size).equal(1);
    expect(await rows().findOne({})).include({ state: "given_up", sealed: null });
    expect(errors()).length(1);
    expect(logged()).not.contain(to).and.not.contain("secret-token");
  });

  it("is sent again after a worker that died in the middle, with the Message-ID that the first one had", async () => {
    const to = addressOf("ana");
    await mailsBy(null).request(reset(to));
    // The server's yes was its last: its row is as it was during the try.
    const dying: MailTransport = { ...transport, senderHost: transport.senderHost, send: transport.send };
    const [row] = await rows().find().toArray();
    await mailsBy(dying).sweep();
    if (row)
      await rows().replaceOne({ _id: row._id }, { ...row, tries: 1, dueAt: new Date(clock.now() + 120_000) });

    await mailsBy(transport).sweep();
    expect(received(to)).length(1);
    clock.move(120_000);
    await mailsBy(transport).sweep();
    expect(received(to).map(({ headers }) => headers["message-id"])).deep.equal(
      Array(2).fill(received(to)[0]?.headers["message-id"]),
    );
    expect(received(to)).length(2);
  });

  it("waits for a release that knows its template, and keeps no other waiting", async () => {
    const [to, other] = [addressOf("ana"), addressOf("bob")];
    const newer = newId();
    await mailsBy(null).request(reset(to, newer));
    await rows().updateOne({ _id: newer }, { $set: { template: "of_a_newer_release" } });
    await mailsBy(null).request(reset(other));
    await mailsBy(transport).sweep();
    expect(received(other)).length(1);
    expect(await rows().findOne({ _id: newer })).include({ state: "waiting", tries: 0 });
    expect([errors().length, logged().includes("of_a_newer_release")]).deep.equal([0, true]);

    await rows().updateOne({ _id: newer }, { $set: { template: "reset_password" } });
    clock.move(60_000);
    await mailsBy(transport).sweep();
    expect(received(to)).length(1);
  });

  it("is given up at once when the server won't take the recipient, of which no log says the address", async () => {
    const to = addressOf("nobody");
    refusal = `550 No such user ${to}`;
    await mailsBy(null).request(reset(to));
    await mailsBy(transport).sweep();
    expect(await rows().findOne({})).include({ state: "given_up", sealed: null, tries: 1 });
    expect(errors()).length(1);
    expect(logged()).not.contain(to);
  });

  it("is tried again when the server won't take it just now", async () => {
    const to = addressOf("ana");
    refusal = "451 Come again";
    await mailsBy(null).request(reset(to));
    await mailsBy(transport).sweep();
    expect(received(to)).length(0);
    refusal = null;
    clock.move(5_000);
    await mailsBy(transport).sweep();
    expect(received(to)).length(1);
  });

  it("isn't held up by others whose recipients' servers say later, whose repeats come after it", async () => {
    const deferred = Array.from({ length: 60 }, (_, i) => addressOf(`grey${i}`));
    for (const other of deferred) await mailsBy(null).request(reset(other));
    refusal = "450 4.7.1 greylisted";
    const first = mailsBy(transport);
    const areDeferred = async () => {
      await first.sweep();
      return (await rows().countDocuments({ tries: 1 })) === 60;
    };
    await eventually(areDeferred, { withinMs: 15_000, what: "all are deferred" });

    clock.move(5_000);
    const to = addressOf("ana");
    await mailsBy(null).request(reset(to));
    const order: string[] = [];
    const noting: MailTransport = {
      ...transport,
      send: (mail) => {
        order.push(mail.to);
        return transport.send(mail);
      },
    };
    const sending = mailsBy(noting);
    const areTried = async () => {
      await sending.sweep();
      return order.length === 61;
    };
    await eventually(areTried, { withinMs: 15_000, what: "all are tried" });
    expect(order.indexOf(to)).below(5);
  });

  it("is left to the next sweep when the server says neither yes nor no to those before", async () => {
    for (let i = 0; i < 12; i++) await mailsBy(null).request(reset(`ana@o${i}.example`));
    const gone = createSmtpTransport({ url: "smtp://127.0.0.1:1", from: FROM });
    await mailsBy(gone).sweep();
    gone.close();
    expect(await rows().countDocuments({ tries: 1 })).equal(5);
  });

  it("isn't sent when it is of no use any more", async () => {
    const to = addressOf("ana");
    await mailsBy(null).request({ ...reset(to), usefulUntil: new Date(clock.now() + 60_000) });
    clock.move(60_000);
    await mailsBy(transport).sweep();
    expect(received(to)).length(0);
    expect(await rows().findOne({})).include({ state: "given_up", sealed: null });
  });

  it("reaches an address five times an hour and kind", async () => {
    const to = addressOf("ana");
    const notice = () => ({
      key: newId(),
      template: "password_changed" as const,
      to,
      userId: null,
      data: { username: "ana", at: new Date(clock.now()).toISOString() },
    });
    for (let i = 0; i < 7; i++) await mailsBy(null).request(notice());
    await mailsBy(transport).sweep();
    expect(received(to)).length(5);
    expect(await rows().countDocuments({ state: "limited", sealed: null })).equal(2);
  });

  for (const template of ["two_factor_enabled", "address_changed"] as const) {
    it(`reaches an address as often as ${template} has a way back for it`, async () => {
      const to = addressOf("ana");
      const data = { username: "ana", token: "secret-token", at: new Date(clock.now()).toISOString() };
      for (let i = 0; i < 7; i++)
        await mailsBy(null).request({ key: newId(), template, to, userId: null, data });
      await mailsBy(transport).sweep();
      expect(received(to)).length(7);
    });
  }

  it("goes to one address, whatever that is made of", async () => {
    const hostile = [
      "a@example.com\r\nBcc: b@example.com",
      "a@example.com, b@example.com",
      "a@example.com> <b@example.com",
      "group: a@example.com;",
      "a b@example.com",
      '"a b"@example.com',
    ];
    const before = sink.mails().length;
    for (const to of hostile) await mailsBy(null).request(reset(to));
    await mailsBy(transport).sweep();
    expect(sink.mails()).length(before);
    expect(await rows().countDocuments({ state: "given_up" })).equal(hostile.length);
  });
});
