import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { setUpWorld } from "../support/set-up-world.ts";

const run = promisify(execFile);

describe("examples/: webhook sender", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld();

  const send = (report: object, env: Record<string, string> = {}) => sendTexts([JSON.stringify(report)], env);
  const sendTexts = (args: string[], env: Record<string, string> = {}) =>
    run(process.execPath, ["examples/webhook-sender/send.mjs", ...args], {
      cwd: projectRoot,
      env: {
        ...process.env,
        LIVECORE_URL: world.baseUrl,
        BILLING_KEY: world.systemKeys.billing,
        BILLING_WEBHOOK_SECRET: world.webhookSecrets.billing[0],
        ...env,
      },
      timeout: 30_000,
    });

  for (const [form, place] of [
    ["in base64", 0],
    ["as it stands", 1],
  ] as const)
    it(`begins a subscription by a report that is signed with a secret ${form}`, async () => {
      const [{ owner }, fan] = [await given.channel(), await given.user()];
      const order = { channel_user_id: owner.id, tier: 1 } as const;
      const { checkout_id } = await fan.api.ok("createSubscriptionCheckout", { body: order });
      const data = { checkout_id, amount_cents: 499, currency: "USD", platform_id: "sub_1" };
      const env = { BILLING_WEBHOOK_SECRET: world.webhookSecrets.billing[place] };
      const { stdout } = await send({ type: "checkout.completed", data }, env);
      expect(stdout).match(/^evt_[0-9a-f-]+ is delivered\.\n$/);
      expect((await fan.api.ok("listMySubscriptions")).items[0]?.status).equal("active");
    });

  it("explains itself without a report, with one that isn't JSON, and without its secrets", async () => {
    for (const [args, env] of [
      [[], {}],
      [["{"], {}],
      [["[]"], {}],
      [["null"], {}],
      [["{}"], { BILLING_KEY: "" }],
      [["{}"], { BILLING_WEBHOOK_SECRET: "" }],
    ] as const) {
      const failure: unknown = await sendTexts([...args], env).catch((err: unknown) => err);
      expect(Object(failure).code).equal(2);
      expect(Object(failure).stderr).match(/^Usage: node send\.mjs .*\n$/);
    }
  });

  it("ends with the refusal when its signature isn't the service's", async () => {
    const wrong = { BILLING_WEBHOOK_SECRET: "whsec_d3Jvbmc=" };
    const failure: unknown = await send({ type: "tip.refunded", data: {} }, wrong).catch(
      (err: unknown) => err,
    );
    expect(Object(failure).code).equal(1);
    expect(Object(failure).stderr).includes("signature_invalid");
  });
});
