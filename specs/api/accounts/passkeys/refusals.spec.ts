import { expect } from "chai";
import { movableClock } from "../../../support/clock.ts";
import { newPasskey, type Otherwise } from "../../../support/passkey.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { tally } from "../two-factor/account.ts";
import { passkeySignInsIn } from "./sign-ins.ts";

describe("assertions of passkeys", () => {
  const clock = movableClock();
  let world: World;
  let o: ReturnType<typeof passkeySignInsIn>;

  before(async () => {
    world = await openWorld({ clock });
    o = passkeySignInsIn(world);
  });
  after(() => world?.close());

  const DISHONEST: Record<string, Otherwise> = {
    "a page of another origin": { origin: "https://evil.example" },
    "a page within another site": { crossOrigin: true },
    "another relying party": { rpId: "evil.example" },
    "an unverified user": { isVerified: false },
    "an absent user": { isPresent: false },
    "another ceremony": { type: "webauthn.create" },
    "an unknown challenge": { challenge: "k0PzNf5aHdJ8fGa4eUo6iBsxQM3hVE9sWm2Xc7RtYbL" },
    "no user handle": { userHandle: null },
    "another user's handle": { userHandle: "AZyvtP0AfU6bHzwqjm0PEQ" },
    "a passkey that has become one to sync": { isSyncable: true },
  };
  for (const [what, other] of Object.entries(DISHONEST)) {
    it(`refuses an assertion with ${what}`, async () => {
      const { passkey } = await o.withPasskey();
      expect((await o.signIn(passkey, other)).code).equal("passkey_refused");
      expect((await o.signIn(passkey)).status).equal(200);
    });
  }

  it("refuses another key's signature under a known credential id", async () => {
    const { passkey } = await o.withPasskey();
    const forged = newPasskey().get(await o.start(), { userHandle: null });
    const { response } = passkey.get(await o.start());

    const answer = await o.finish({
      ...forged,
      id: passkey.id,
      rawId: passkey.id,
      response: { ...forged.response, userHandle: response.userHandle },
    });

    expect(answer.code).equal("passkey_refused");
  });

  it("gives the same options whatever accounts there are, and the same answer for an unknown passkey", async () => {
    const { passkey } = await o.withPasskey();
    const { options } = await o.start();
    expect(options).have.all.keys("challenge", "rpId", "timeout", "userVerification");

    const unknown = await o.signIn(newPasskey(), { userHandle: "AZyvtP0AfU6bHzwqjm0PEQ" });
    const wrong = await o.signIn(passkey, { isVerified: false });

    expect(unknown).deep.include({ status: 401, code: "passkey_refused" });
    expect(unknown.body).deep.equal(wrong.body);
    expect(o.refusalsOf(null)).include("unknown_passkey");
  });

  it("uses a challenge once, also of concurrent sign-ins, and not after five minutes", async () => {
    const { passkey } = await o.withPasskey(newPasskey({ isSynced: true }));
    const [once, late] = [await o.start(), await o.start()];

    const answers = await Promise.all([o.finish(passkey.get(once)), o.finish(passkey.get(once))]);
    expect(tally(answers)).deep.equal({ "200": 1, passkey_refused: 1 });
    clock.move(5 * 60_000 + 1_000);
    expect((await o.finish(passkey.get(late))).code).equal("passkey_refused");
  });

  it("takes no challenge of a registration or a step-up", async () => {
    const { api, passkey } = await o.withPasskey();
    const registration = await api.ok("startPasskeyRegistration");
    const stepUp = await api.ok("startPasskeyStepUp");

    for (const { options } of [registration, stepUp]) {
      const { challenge } = options;
      expect((await o.signIn(passkey, { challenge })).code).equal("passkey_refused");
    }
  });

  it("refuses a counter that was seen already, which a copy of the passkey would report, and logs it", async () => {
    const { passkey, id, made } = await o.withPasskey();
    expect((await o.signIn(passkey, { counter: 7 })).status).equal(200);

    for (const counter of [7, 3, 0]) {
      expect((await o.signIn(passkey, { counter })).code).equal("passkey_refused");
    }
    expect((await o.signIn(passkey, { counter: 8 })).status).equal(200);
    const lines = world.auditedOf("passkey.counter_regressed", id);
    expect(lines.map(({ passkeyId }) => passkeyId)).deep.equal(Array(3).fill(made.id));
    expect(o.refusalsOf(id)).deep.equal(Array(3).fill("passkey_counter"));
  });

  it("accepts a synced passkey, which always counts 0, again and again", async () => {
    const { passkey } = await o.withPasskey(newPasskey({ isSynced: true }));
    for (let n = 0; n < 3; n++) expect((await o.signIn(passkey)).status).equal(200);
  });

  it("lets one of two concurrent uses with the same counter win", async () => {
    const { passkey } = await o.withPasskey();
    const credentials = [
      passkey.get(await o.start(), { counter: 9 }),
      passkey.get(await o.start(), { counter: 9 }),
    ];

    const answers = await Promise.all(credentials.map((credential) => o.finish(credential)));

    expect(tally(answers)).deep.equal({ "200": 1, passkey_refused: 1 });
  });
});
