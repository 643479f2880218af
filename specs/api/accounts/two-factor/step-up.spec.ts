import { expect } from "chai";
import { operationsOf, readOpenApi } from "../../../../contract/openapi-document.ts";
import type { Api, CallOptions, OperationId } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { accountsIn, PASSWORD, STEP_MS } from "./account.ts";

const FRESH_MS = 5 * 60_000;

const NOTHING = "0197b7a0-0000-7000-8000-000000000000";

/** Each operation of the document that asks for a proof, and a request that does. */
const ASKING: Partial<Record<OperationId, CallOptions>> = {
  setUpTwoFactor: {},
  startPasskeyRegistration: {},
  deletePasskey: { params: { passkey_id: NOTHING } },
  rotateStreamKey: {},
  createApiToken: { body: { name: "bot" } },
  createToken: { body: { name: "bot" } },
  deleteApiToken: { params: { token_id: NOTHING } },
  deleteToken: { params: { token_id: NOTHING } },
  startOauthLink: { params: { provider: "any" } },
  linkProvider: {
    params: { provider: "any" },
    body: { code: "c", code_verifier: "v".repeat(43), redirect_uri: "app:/" },
  },
  unlinkProvider: { params: { provider: "any" } },
  changePassword: { body: { current_password: PASSWORD, new_password: `${PASSWORD} anew` } },
  deleteMe: { body: { password: PASSWORD } },
  exportMe: {},
  updateMe: { body: { email: "another@example.org", password: PASSWORD } },
};

describe("Proving once more to be the owner", () => {
  const clock = movableClock();
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  const rotate = (api: Api) => api.call("rotateStreamKey");

  it("is required by every operation that declares it, five minutes after signing in", async () => {
    const declared = operationsOf(readOpenApi())
      .filter(({ operation }) => operation["x-access"].step_up !== undefined)
      .map(({ operation }) => operation.operationId);
    expect(Object.keys(ASKING)).members(declared);
    const { api } = await accounts.account();

    clock.move(FRESH_MS - 2_000);
    expect((await rotate(api)).status).equal(200);
    clock.move(3_000);

    for (const [operation, request] of Object.entries(ASKING)) {
      const answer = await api.call(operation as OperationId, request);
      expect(answer, operation).include({ status: 403, code: "step_up_required" });
      expect(answer.details).deep.equal({ methods: ["password"], max_age_seconds: 300 });
    }
    expect((await api.call("updateMe", { body: { bio: "Nothing of security" } })).status).equal(200);
  });

  it("counts for this session and five minutes, and a refresh doesn't lengthen it", async () => {
    const account = await accounts.account();
    const body = { login: account.username, password: PASSWORD };
    const other = await accounts.bearer.ok("login", { body });
    clock.move(FRESH_MS + 1_000);

    const { valid_until } = await account.api.ok("stepUp", { body: { password: PASSWORD } });

    expect(Date.parse(valid_until)).within(clock.now() + FRESH_MS - 5_000, clock.now() + FRESH_MS);
    expect((await rotate(account.api)).status).equal(200);
    const renewed = await accounts.bearer.ok("refresh", { body: { refresh_token: other.refresh_token } });
    const elsewhere = world.api.as({ token: renewed.access_token ?? "" });
    expect((await rotate(elsewhere)).code).equal("step_up_required");
    clock.move(FRESH_MS + 1_000);
    expect((await rotate(account.api)).code).equal("step_up_required");
  });

  it("takes a code of an account with two factors, and not its password", async () => {
    const account = await accounts.protectedAccount();
    clock.move(FRESH_MS + STEP_MS);
    const stepUp = (body: object) => account.api.call("stepUp", { body });

    const refused = await rotate(account.api);
    expect(refused.details).deep.equal({ methods: ["code"], max_age_seconds: 300 });
    const byPassword = await stepUp({ password: PASSWORD });
    expect(byPassword).include({ status: 403, code: "step_up_required" });
    expect((await rotate(account.api)).code).equal("step_up_required");
    const code = accounts.codeOf(account);
    expect((await stepUp({ code })).status).equal(200);
    expect((await rotate(account.api)).status).equal(200);
    expect((await stepUp({ code })).code).equal("invalid_code");
  });

  it("takes a right password", async () => {
    const { api } = await accounts.account();
    clock.move(FRESH_MS + 1_000);
    expect((await api.call("stepUp", { body: { password: "not the password" } })).code).equal(
      "invalid_credentials",
    );
    expect((await api.call("stepUp", { body: {} })).code).equal("step_up_required");
    expect((await rotate(api)).code).equal("step_up_required");
  });
});
