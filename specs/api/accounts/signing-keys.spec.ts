import { expect } from "chai";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import type { Accounts } from "../../../actors/accounts/accounts.ts";
import { endOf, periodAt, rotateSigningKeys } from "../../../actors/accounts/tokens/signing-keys.ts";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { type SigningKeyDoc, signingKeysIn } from "../../../store/mongo/accounts/signing-keys.ts";
import { signedIn } from "../../support/two-factor.ts";
import { MASTER_KEY, type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

describe("keys that sign access tokens", () => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await openAccounts();
  });
  afterEach(() => opened.close());

  const published = (): JSONWebKeySet => opened.accounts.tokens.jwks();

  it("let anyone verify a token by the published set", async () => {
    const { accessToken, user, sessionId } = await opened.account();

    const { payload, protectedHeader } = await jwtVerify(accessToken, createLocalJWKSet(published()), {
      issuer: "livecore",
      audience: "livecore-api",
    });

    expect(payload).include({ sub: user._id, sid: sessionId });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).equal(900);
    expect(protectedHeader).include({ alg: "EdDSA", typ: "at+jwt" });
  });

  it("are published without their private part", () => {
    for (const key of opened.accounts.tokens.jwks().keys) {
      expect(Object.keys(key).sort()).deep.equal(["alg", "crv", "kid", "kty", "use", "x"]);
    }
  });

  it("are the same in every process, also when all start at once", async () => {
    const others = Array.from({ length: 5 }, () => opened.another());
    await Promise.all(others.map((other) => other.start()));

    const { accessToken } = await opened.account();
    for (const other of others) {
      expect(other.tokens.jwks()).deep.equal(opened.accounts.tokens.jwks());
      expect(await outcome(other.tokens.authenticate(accessToken, "bearer"))).equal("accepted");
    }
    await Promise.all(others.map((other) => other.stop()));
  });

  it("rotate without refusing a valid token, and are known a day before they sign", async () => {
    const { username } = await opened.account();
    const kids = new Set<string>();
    // Through a whole period and the change after it, by steps shorter than a token's life around it.
    for (let day = 0; day < 32; day++) {
      const { accessToken } = signedIn(
        await opened.accounts.signIn.login(
          { login: username, password: PASSWORD, knownDevice: null },
          origin,
        ),
      );
      const known = opened.another();
      await known.start();
      opened.clock.move(14 * 60_000);
      expect(await outcome(known.tokens.authenticate(accessToken, "bearer")), `day ${day}`).equal("accepted");
      await known.stop();
      kids.add(String(JSON.parse(Buffer.from(accessToken.split(".")[0] ?? "", "base64url").toString()).kid));
      opened.clock.move(DAY_MS - 14 * 60_000);
    }

    expect(kids.size).within(2, 3);
  }).timeout(60_000);

  describe("made by hand", () => {
    const kidOf = (token: string): string =>
      JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;

    const rotate = (atOnce: boolean) =>
      rotateSigningKeys(
        {
          keys: signingKeysIn(opened.stores.mongo.db),
          sealing: createSealing(MASTER_KEY),
          audit: () => undefined,
          now: opened.clock.now(),
        },
        { atOnce },
      );

    /** As one that has read the keys by now. */
    async function aWorker() {
      const worker = opened.another();
      await worker.start();
      return worker;
    }

    async function signedInBy(worker: Accounts, username: string): Promise<string> {
      const login = { login: username, password: PASSWORD, knownDevice: null };
      return signedIn(await worker.signIn.login(login, origin)).accessToken;
    }

    it("sign after two minutes, when everybody knows them; both are published, and old tokens hold", async () => {
      const { username, accessToken } = await opened.account();
      const before = published().keys.length;

      const { kids } = await rotate(false);

      const worker = await aWorker();
      expect(worker.tokens.jwks().keys).lengthOf(before + kids.length);
      expect(worker.tokens.jwks().keys.map(({ kid }) => kid)).include.members([kidOf(accessToken), ...kids]);
      expect(kids).not.include(kidOf(await signedInBy(worker, username)));
      opened.clock.move(120_000);
      const token = await signedInBy(worker, username);
      expect(kids).include(kidOf(token));
      opened.clock.move(12 * 60_000);
      const another = await aWorker();
      for (const held of [token, accessToken])
        expect(await outcome(another.tokens.authenticate(held, "bearer"))).equal("accepted");
      opened.clock.move(3_600_000);
      const later = await aWorker();
      expect(later.tokens.jwks().keys.map(({ kid }) => kid)).not.include(kidOf(accessToken));
      await Promise.all([worker, another, later].map((one) => one.stop()));
    });

    it("in a hurry sign at once, and what the old ones signed ends a minute later", async () => {
      const { username, accessToken } = await opened.account();

      const { kids } = await rotate(true);

      const worker = await aWorker();
      const token = await signedInBy(worker, username);
      expect(kids).include(kidOf(token));
      expect(await outcome(worker.tokens.authenticate(accessToken, "bearer"))).equal("accepted");
      opened.clock.move(66_000);
      const another = await aWorker();
      expect(await outcome(another.tokens.authenticate(accessToken, "bearer"))).equal("invalid_token");
      expect(await outcome(another.tokens.authenticate(token, "bearer"))).equal("accepted");
      await Promise.all([worker, another].map((one) => one.stop()));
    });

    it("in a hurry end the key of the period before too", async () => {
      const keys = signingKeysIn(opened.stores.mongo.db);
      const period = periodAt(opened.clock.now());
      opened.clock.move(endOf(period).getTime() - opened.clock.now() - 30 * 60_000);
      const former = (await keys.usable(new Date(opened.clock.now()))).filter((key) => key.period === period);
      expect(former).length(1);
      async function kids(): Promise<unknown[]> {
        const worker = await aWorker();
        await worker.stop();
        return worker.tokens.jwks().keys.map(({ kid }) => kid);
      }

      await rotate(false);
      expect(await kids()).include(former[0]?._id);
      await rotate(true);
      opened.clock.move(66_000);

      expect(await kids()).not.include(former[0]?._id);
    });

    it("are known to a process that has just read the keys as soon as it is shown one", async () => {
      const { username } = await opened.account();
      const another = await aWorker();

      await rotate(true);
      const worker = await aWorker();
      const token = await signedInBy(worker, username);

      expect(await outcome(another.tokens.authenticate(token, "bearer"))).equal("accepted");
      await Promise.all([worker, another].map((one) => one.stop()));
    });

    it("may be made again and again, the last one signs", async () => {
      const { username } = await opened.account();
      await rotate(true);
      await rotate(true);
      const { kids } = await rotate(true);
      const worker = await aWorker();

      expect(kids).include(kidOf(await signedInBy(worker, username)));
      await worker.stop();
    });
  });

  it("are sealed, and a start with another master key stops with a sentence", async () => {
    const docs = await opened.stores.mongo.db.collection<SigningKeyDoc>("signing_keys").find().toArray();
    expect(docs.length).greaterThan(0);
    expect(JSON.stringify(docs)).not.match(/"d":/);

    const stranger = opened.another({ masterKey: "another master key" });
    const failure = await outcome(stranger.start());
    await stranger.stop();

    expect(failure).match(/MASTER_KEY/);
  });
});
