import { expect } from "chai";
import type { Api } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { givenPasskey, newPasskey, type Otherwise, type SoftPasskey } from "../../../support/passkey.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { afterNextRead } from "../oauth/interposed-read.ts";
import { accountsIn, PASSWORD, tally } from "../two-factor/account.ts";
import { certified } from "./certified.ts";

const NAME = "Eulen & Söhne";
const CHALLENGE_MS = 5 * 60_000;

describe("adding passkeys", () => {
  const clock = movableClock();
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock, instance: { name: NAME } });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  const add = (api: Api, credential: object, name = "A laptop") =>
    api.call("createPasskey", { body: { name, credential } });

  async function added(api: Api, other: Otherwise, passkey: SoftPasskey = newPasskey()) {
    return add(api, passkey.create(await api.ok("startPasskeyRegistration"), other));
  }

  it("shows the owner a new passkey with its name, transports and whether it is synced", async () => {
    const { id, api } = await accounts.account();

    const { made } = await givenPasskey(api, newPasskey({ isSynced: true }));

    expect(made).deep.include({
      name: "A laptop",
      last_used_at: null,
      is_synced: true,
      transports: ["internal", "hybrid"],
    });
    expect((await api.ok("listPasskeys")).items).deep.equal([made]);
    expect(world.auditedOf("passkey.added", id)).length(1);
  });

  it("asks for a discoverable passkey that verifies its user, and excludes those the account has", async () => {
    const { api, username } = await accounts.account();
    const { passkey } = await givenPasskey(api);

    const { options } = await api.ok("startPasskeyRegistration");

    expect(options.rp).deep.equal({ name: NAME, id: "livecore.example" });
    expect(options.user).include({ name: username });
    expect(options.excludeCredentials).deep.equal([
      { id: passkey.id, type: "public-key", transports: ["internal"] },
    ]);
    expect(options).deep.include({
      attestation: "none",
      authenticatorSelection: {
        residentKey: "required",
        userVerification: "required",
        requireResidentKey: true,
      },
    });
  });

  it("renames and removes a passkey of the caller alone", async () => {
    const [owner, stranger] = [await accounts.account(), await accounts.account()];
    const { made } = await givenPasskey(owner.api);
    const params = { passkey_id: made.id };
    const body = { name: "Her laptop" };

    expect((await stranger.api.call("updatePasskey", { params, body })).code).equal("not_found");
    expect((await stranger.api.call("deletePasskey", { params })).code).equal("not_found");
    expect(await owner.api.ok("updatePasskey", { params, body })).deep.equal({ ...made, ...body });
    await owner.api.ok("deletePasskey", { params });
    expect((await owner.api.ok("listPasskeys")).items).deep.equal([]);
    expect((await owner.api.call("deletePasskey", { params })).code).equal("not_found");
  });

  it("requires a fresh proof to begin and to remove, and none to finish", async () => {
    const { api } = await accounts.account();
    const { made } = await givenPasskey(api);
    const passkey = newPasskey();
    clock.move(CHALLENGE_MS - 10_000);
    const options = await api.ok("startPasskeyRegistration");
    clock.move(60_000);

    expect((await api.call("startPasskeyRegistration")).code).equal("step_up_required");
    expect((await api.call("deletePasskey", { params: { passkey_id: made.id } })).code).equal(
      "step_up_required",
    );
    expect((await add(api, passkey.create(options))).status).equal(201);
  });

  const DISHONEST: Record<string, Otherwise> = {
    "a page of another origin": { origin: "https://evil.example" },
    "a page within another site": { crossOrigin: true },
    "another relying party": { rpId: "evil.example" },
    "an unverified user": { isVerified: false },
    "an absent user": { isPresent: false },
    "another ceremony": { type: "webauthn.get" },
    "another challenge": { challenge: "k0PzNf5aHdJ8fGa4eUo6iBsxQM3hVE9sWm2Xc7RtYbL" },
  };
  for (const [what, other] of Object.entries(DISHONEST)) {
    it(`refuses a registration that is by ${what}`, async () => {
      const { api } = await accounts.account();
      expect((await added(api, other)).code).equal("passkey_refused");
      expect((await api.ok("listPasskeys")).items).deep.equal([]);
    });
  }

  it("accepts pages of ALLOWED_ORIGINS beside those of PUBLIC_URL", async () => {
    const front = "https://app.livecore.example";
    const other = await openWorld({ clock, allowedOrigins: [front] });
    try {
      const { api } = await accountsIn(other).account();
      expect((await added(api, { origin: front })).status).equal(201);
      expect((await added(api, {})).status).equal(201);
    } finally {
      await other.close();
    }
  });

  it("refuses an attestation with certificates, whose revocation would be asked for elsewhere", async () => {
    const { api } = await accounts.account();
    const options = await api.ok("startPasskeyRegistration");

    expect((await add(api, newPasskey().create(options, {}, certified))).code).equal("passkey_refused");
  });

  it("uses a challenge once, and not after five minutes", async () => {
    const { api } = await accounts.account();
    const [first, late] = [
      await api.ok("startPasskeyRegistration"),
      await api.ok("startPasskeyRegistration"),
    ];

    expect((await add(api, newPasskey().create(first))).status).equal(201);
    expect((await add(api, newPasskey().create(first))).code).equal("passkey_refused");
    clock.move(CHALLENGE_MS + 1_000);
    expect((await add(api, newPasskey().create(late))).code).equal("passkey_refused");
  });

  it("takes a challenge only in the session that it was given to, and for a registration", async () => {
    const [one, other] = [await accounts.account(), await accounts.account()];
    const again = await accounts.bearer.ok("login", {
      body: { login: one.username, password: PASSWORD },
    });
    const elsewhere = world.api.as({ token: again.access_token ?? "" });
    await givenPasskey(one.api);
    const start = () => one.api.ok("startPasskeyRegistration");

    expect((await add(other.api, newPasskey().create(await start()))).code).equal("passkey_refused");
    expect((await add(elsewhere, newPasskey().create(await start()))).code).equal("passkey_refused");
    const { options } = await one.api.ok("startPasskeyStepUp");
    const { challenge } = options;
    expect((await added(one.api, { challenge })).code).equal("passkey_refused");
    const signIn = await accounts.bearer.ok("startPasskeySignIn");
    expect((await added(one.api, { challenge: signIn.options.challenge })).code).equal("passkey_refused");
  });

  it("refuses a passkey of another account", async () => {
    const [one, other] = [await accounts.account(), await accounts.account()];
    const { passkey } = await givenPasskey(one.api);

    expect((await added(other.api, {}, passkey)).code).equal("passkey_taken");
    expect((await other.api.ok("listPasskeys")).items).deep.equal([]);
  });

  it("registers a passkey once of concurrent registrations, of one account and of two", async () => {
    for (let round = 0; round < 5; round++) {
      const one = await accounts.account();
      const two = round % 2 === 0 ? one : await accounts.account();
      const passkey = newPasskey();
      const [mine, theirs] = [
        passkey.create(await one.api.ok("startPasskeyRegistration")),
        passkey.create(await two.api.ok("startPasskeyRegistration")),
      ];

      const answers = await Promise.all([add(one.api, mine), add(two.api, theirs)]);

      expect(tally(answers)).deep.equal({ "201": 1, passkey_taken: 1 });
    }
  });

  it("keeps 20 passkeys of an account, also of concurrent registrations", async () => {
    const { api } = await accounts.account();
    for (let n = 0; n < 18; n++) await givenPasskey(api);
    const credentials = await Promise.all(
      Array.from({ length: 4 }, async () => newPasskey().create(await api.ok("startPasskeyRegistration"))),
    );

    const answers = await Promise.all(credentials.map((credential) => add(api, credential)));

    expect(tally(answers)).deep.equal({ "201": 2, limit_reached: 2 });
    expect((await api.ok("listPasskeys")).total).equal(20);
    const refused = await api.call("startPasskeyRegistration");
    expect(refused).include({ code: "limit_reached" });
    expect(refused.details).deep.equal({ limit: 20 });
  });

  it("adds nothing in a session that ends while it is added", async () => {
    const { api, id, username } = await accounts.account();
    const other = await accounts.bearer.ok("login", { body: { login: username, password: PASSWORD } });
    const elsewhere = world.api.as({ token: other.access_token ?? "" });
    const credential = newPasskey().create(await api.ok("startPasskeyRegistration"));

    const wasBetween = afterNextRead("users", id, () => elsewhere.ok("endSessions"));
    const answer = await add(api, credential);

    expect([wasBetween(), answer.code]).deep.equal([true, "invalid_token"]);
    expect((await elsewhere.ok("listPasskeys")).items).deep.equal([]);
  });

  it("refuses a session that has ended since it began", async () => {
    const account = await accounts.account();
    const credential = newPasskey().create(await account.api.ok("startPasskeyRegistration"));
    await account.api.ok("logout");

    expect((await add(account.api, credential)).code).equal("invalid_token");
  });
});
