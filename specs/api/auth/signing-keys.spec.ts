import { expect } from "chai";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import type { SigningKeyDoc } from "../../../store/mongo/signing-keys.ts";
import { signedIn } from "../../support/two-factor.ts";
import { type Opened, openIdentity, origin, outcome, PASSWORD } from "./open-identity.ts";

const DAY_MS = 86_400_000;

describe("keys that sign access tokens", () => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await openIdentity();
  });
  afterEach(() => opened.close());

  const published = (): JSONWebKeySet => opened.identity.jwks();

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
    for (const key of opened.identity.jwks().keys) {
      expect(Object.keys(key).sort()).deep.equal(["alg", "crv", "kid", "kty", "use", "x"]);
    }
  });

  it("are the same in every process, also when all start at once", async () => {
    const others = Array.from({ length: 5 }, () => opened.another());
    await Promise.all(others.map((other) => other.start()));

    const { accessToken } = await opened.account();
    for (const other of others) {
      expect(other.jwks()).deep.equal(opened.identity.jwks());
      expect(await outcome(other.authenticate(accessToken, "bearer"))).equal("accepted");
    }
    await Promise.all(others.map((other) => other.stop()));
  });

  it("rotate without refusing a valid token, and are known a day before they sign", async () => {
    const { username } = await opened.account();
    const kids = new Set<string>();
    // Through a whole period and the change after it, by steps shorter than a token's life around it.
    for (let day = 0; day < 32; day++) {
      const { accessToken } = signedIn(
        await opened.identity.login({ login: username, password: PASSWORD, knownDevice: null }, origin),
      );
      const known = opened.another();
      await known.start();
      opened.clock.move(14 * 60_000);
      expect(await outcome(known.authenticate(accessToken, "bearer")), `day ${day}`).equal("accepted");
      await known.stop();
      kids.add(String(JSON.parse(Buffer.from(accessToken.split(".")[0] ?? "", "base64url").toString()).kid));
      opened.clock.move(DAY_MS - 14 * 60_000);
    }

    expect(kids.size).within(2, 3);
  }).timeout(60_000);

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
