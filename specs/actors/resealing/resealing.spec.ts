import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { totpContext } from "../../../actors/accounts/two-factor/enrolment.ts";
import { createSealing, streamKeyContext } from "../../../actors/keys/sealing.ts";
import { type Resealed, resealAll } from "../../../actors/resealing/resealing.ts";
import { SEALED_FIELDS } from "../../../actors/resealing/sealed-fields.ts";
import { newId } from "../../../base/ids.ts";
import type { Core } from "../../../deploy/processes/workers/core.ts";
import { twoFactorsCollection } from "../../../store/mongo/accounts/two-factor.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { timersCollection } from "../../../store/mongo/host/timers.ts";
import type { MailDoc } from "../../../store/mongo/notifications/mails.ts";
import { MASTER_KEY, specCore } from "../../support/core.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { Stores } from "../../support/stores.ts";

const NEXT = "spec-master-key-of-later".repeat(3);
const origin = { ip: "203.0.113.7", userAgent: "specs", requestId: "a-request-of-specs" };

describe("sealing everything anew", () => {
  let stores: Stores;
  let core: Core;
  beforeEach(async () => {
    stores = await openOwnStores();
    // Its signing keys are there before there is a new MASTER_KEY.
    await withOldKey(async () => undefined);
    core = specCore(stores, { masterKey: [NEXT, MASTER_KEY] });
    await core.start();
  });
  afterEach(async () => {
    await core.stop();
    await stores.close();
  });

  /** Somebody with one of everything that is sealed, by a service that has the old key alone. */
  async function someone(by: Core) {
    const username = `s_${randomBytes(6).toString("hex")}`;
    const input = { username, email: `${username}@example.org`, password: "a long phrase for specs" };
    const signIn = await by.signIn.register(input, origin);
    const caller = await by.tokens.authenticate(signIn.accessToken, "bearer");
    const device_token = `token-of-${username}`;
    await by.pushDevices.register(caller, { device_token, device_type: "ios" });
    await by.mails.request({
      key: `spec:${username}`,
      template: "password_changed",
      to: input.email,
      userId: caller.userId,
      data: { username, at: new Date().toISOString() },
    });
    await by.recovery.forgotPassword(input.email);
    const secretSealed = createSealing(MASTER_KEY).seal("a secret", totpContext(caller.userId));
    const pending = { secretSealed, recoveryHashes: [], expiresAt: new Date("2126-01-01") };
    await twoFactorsCollection.in(stores.mongo.db).insertOne({
      _id: caller.userId,
      secretSealed,
      lastStep: 0,
      recoveryHashes: [],
      pending,
    });
    const actor = `live-stream:${caller.userId}`;
    await timersCollection.in(stores.mongo.db).insertOne({
      _id: newId(),
      actor,
      timerId: "message",
      dueAt: new Date("2126-01-01"),
      leasedUntil: new Date(0),
      leasedBy: null,
      event: Object({
        type: "rotate",
        keySealed: createSealing(MASTER_KEY).seal("a key", streamKeyContext(caller.userId)),
      }),
    });
    return { userId: caller.userId, device_token };
  }

  async function withOldKey<Result>(use: (old: Core) => Promise<Result>): Promise<Result> {
    const old = specCore(stores);
    await old.start();
    try {
      return await use(old);
    } finally {
      await old.stop();
    }
  }

  const reseal = (more: Partial<Parameters<typeof resealAll>[0]> = {}) =>
    resealAll({ db: stores.mongo.db, masterKey: [NEXT, MASTER_KEY], log: quietLog(), batch: 3, ...more });
  const sum = (results: Resealed[], of: "seen" | "resealed" | "unopened") =>
    results.reduce((total, result) => total + result[of], 0);
  const streams = () => stores.mongo.db.collection<StreamDoc>("streams");

  it("leaves nothing that needs the old key, and changes nothing of what it holds", async () => {
    const people = await withOldKey((old) => Promise.all(Array.from({ length: 7 }, () => someone(old))));
    const sealedBefore = await streams().find().toArray();

    const results = await reseal();

    expect(results.map(({ collection, field }) => `${collection}.${field}`)).deep.equal(
      SEALED_FIELDS.map(({ collection, field }) => `${collection}.${field}`),
    );
    expect(results.filter(({ seen }) => seen === 0)).deep.equal([]);
    expect(sum(results, "resealed")).equal(sum(results, "seen")).greaterThan(20);
    expect(sum(results, "unopened")).equal(0);

    const [before, after] = [createSealing(MASTER_KEY), createSealing(NEXT)];
    for (const { _id, streamKeySealed } of sealedBefore) {
      const now = await streams().findOne({ _id });
      const context = streamKeyContext(_id);
      expect(after.unseal(now?.streamKeySealed ?? "", context)).equal(
        before.unseal(streamKeySealed, context),
      );
    }
    const alone = specCore(stores, { masterKey: NEXT });
    await alone.start();
    for (const { userId, device_token } of people)
      expect((await alone.pushDevices.list(userId))[0]?.device_token).equal(device_token);
    await alone.stop();
    expect(sum(await reseal(), "resealed")).equal(0);
  }).timeout(60_000);

  it("goes on where it was interrupted", async () => {
    await withOldKey(async (old) => {
      await Promise.all(Array.from({ length: 8 }, () => someone(old)));
    });
    let left = 4;
    const breaking = SEALED_FIELDS.map((field) => ({
      ...field,
      contextOf(doc: Parameters<typeof field.contextOf>[0]) {
        if (field.collection === "streams" && left-- === 0) throw new Error("the process dies here");
        return field.contextOf(doc);
      },
    }));
    const failed = await reseal({ fields: breaking }).catch(String);
    expect(failed).include("dies here");
    const done = new Set<string>();
    const seenAgain = SEALED_FIELDS.map((field) => ({
      ...field,
      contextOf(doc: Parameters<typeof field.contextOf>[0]) {
        if (field.collection === "streams") done.add(String(doc._id));
        return field.contextOf(doc);
      },
    }));

    const results = await reseal({ fields: seenAgain });

    // The first batch of three isn't looked at again, and counts all the same.
    expect(done.size).equal(5);
    expect(results.find(({ collection }) => collection === "streams")).include({ seen: 8 });
    expect(sum(await reseal(), "resealed")).equal(0);
  }).timeout(60_000);

  it("goes on beside a service that seals", async () => {
    const people = await withOldKey((old) => Promise.all(Array.from({ length: 6 }, () => someone(old))));
    await Promise.all([
      reseal({ batch: 1 }),
      ...people.map(({ userId }) => core.channels.rotateKey(userId, origin)),
    ]);

    for (const stream of await streams().find().toArray())
      createSealing(NEXT).unseal(stream.streamKeySealed, streamKeyContext(stream._id));
  }).timeout(60_000);

  it("names what no key opens, and leaves it", async () => {
    await withOldKey(someone);
    const stranger = createSealing("a key that nobody has any more");
    const mails = stores.mongo.db.collection<MailDoc>("mails");
    const sealed = stranger.seal("{}", "mail:lost");
    const [mail] = await mails.find().toArray();
    if (!mail) throw new Error("a mail is waiting");
    await mails.insertOne({ ...mail, _id: "lost", sealed });

    const results = await reseal();

    expect(results.find(({ collection }) => collection === "mails")).include({ unopened: 1 });
    expect(await mails.findOne({ _id: "lost" })).include({ sealed });
  });
});
