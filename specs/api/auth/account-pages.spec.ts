import { expect } from "chai";
import { MAIL_TEXTS } from "../../../actors/mail/texts.ts";
import { openWorld, type World } from "../../support/world.ts";

describe("The pages that mails link to", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const data = { username: "ana", token: "t" };
  const links = [
    MAIL_TEXTS.verify_address(data),
    MAIL_TEXTS.confirm_new_address(data),
    MAIL_TEXTS.address_changed(data),
    MAIL_TEXTS.reset_password(data),
    MAIL_TEXTS.two_factor_enabled({ ...data, at: "2026-03-02T18:00:00.000Z" }),
  ].map(({ link }) => String(link?.path));

  for (const path of new Set(links)) {
    it(`has ${path}, which runs its own script and is in nobody's frame`, async () => {
      const answer = await fetch(`${world.baseUrl}/account/${path}`);
      const page = await answer.text();
      const policy = answer.headers.get("content-security-policy");

      expect(answer.status).equal(200);
      expect(policy).contain("default-src 'none'").and.contain("frame-ancestors 'none'");
      expect(answer.headers.get("referrer-policy")).equal("no-referrer");
      expect(page)
        .match(/<form [^>]*data-posts="[a-z0-9/]+"/)
        .and.not.match(/<script>/);
      const [, posts = ""] = /data-posts="([a-z0-9/]+)"/.exec(page) ?? [];
      // Without a token it is refused for its form, so there is such an operation.
      const body = JSON.stringify({ token: "" });
      const headers = { "content-type": "application/json" };
      const posted = await fetch(`${world.baseUrl}/v1/auth/${posts}`, { method: "POST", body, headers });
      expect(posted.status).equal(400);
    });
  }

  it("take the token out of the address, and post it when the button is pressed", async () => {
    const script = await (await fetch(`${world.baseUrl}/account/account.js`)).text();
    expect(script)
      .contain("location.hash")
      .and.contain("replaceState")
      .and.contain('addEventListener("submit"');
  });
});
