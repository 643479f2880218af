import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect } from "chai";
import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const PAGE = readFileSync(new URL("../../../docs/payments.md", import.meta.url), "utf8");
const run = promisify(execFile);

describe("docs/payments.md: signed example", () => {
  const { world, given } = setUpWorld();
  const script = /```sh\n(id=evt_1[\s\S]*?)```/.exec(PAGE)?.[1] ?? "";

  const report = (env: Record<string, string>) =>
    run("sh", ["-ec", script], {
      env: {
        PATH: process.env.PATH ?? "",
        URL: world.baseUrl,
        BILLING_KEY: world.systemKeys.billing,
        BILLING_WEBHOOK_SECRET: world.webhookSecrets.billing[0],
        ...env,
      },
      timeout: 30_000,
    });

  it("begins the subscription of a checkout by the id in the checkout's answer", async () => {
    const [channel, fan] = [await given.channel(), await given.user()];
    const body = { channel_user_id: channel.owner.id, tier: 1 };
    const checkout = await fan.api.ok("createSubscriptionCheckout", { body });
    expect(checkout.provider).equal("stripe");
    const { stdout } = await report({ CHECKOUT_ID: checkout.checkout_id });
    expect(JSON.parse(stdout)).deep.equal({ received: true });
    expect((await fan.api.ok("listMySubscriptions")).items[0]?.status).equal("active");
  });

  it("shows the signature of its own body, time and secret", () => {
    const of = (name: string) => new RegExp(`^${name} +(.+)$`, "m").exec(PAGE)?.[1] ?? "";
    const headers = signedHeaders(
      of("secret"),
      of("webhook-id"),
      of("body"),
      Number(of("webhook-timestamp")) * 1_000,
    );
    expect(headers["webhook-signature"]).equal(of("webhook-signature"));
  });

  it("names a tip's checkout by the id of the tip", async () => {
    const fan = await given.user();
    const body = { to_user_id: fan.id, amount_cents: 500, currency: "USD" };
    const { checkout_id, tip_id } = await world.api.ok("createTipCheckout", { body });
    const [tip] = (await fan.api.ok("listMyTips")).items;
    expect([tip_id, checkout_id]).deep.equal([tip?.id, tip?.id]);
  });
});
