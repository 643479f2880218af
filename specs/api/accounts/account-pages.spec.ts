import { setImmediate as settled } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { MAIL_TEXTS } from "../../../actors/mail/texts.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/** Of a form that has only its button. */
function NoFields(): Map<string, string> {
  return new Map();
}

/** As much of a browser as the pages' script asks for: whatever else it reached for would fail. */
function openPage(script: string, hash: string) {
  const account = { textContent: "", hidden: true };
  const posted: unknown[] = [];
  const replaced: string[] = [];
  const onSubmit: ((event: object) => unknown)[] = [];
  const submit = () => onSubmit.forEach((listener) => void listener({ preventDefault: () => undefined }));
  const button = { disabled: false, click: submit };
  const form = {
    dataset: { posts: "auth/email/verify", done: "Done." },
    addEventListener: (type: string, listener: (event: object) => unknown) => {
      expect(type).equal("submit");
      onSubmit.push(listener);
    },
    querySelector: () => button,
    submit,
    requestSubmit: submit,
    hidden: false,
  };
  const elements: Record<string, unknown> = { form, output: { textContent: "" }, "#account": account };
  runInNewContext(script, {
    URLSearchParams,
    FormData: NoFields,
    document: { querySelector: (name: string) => elements[name] },
    location: { hash, pathname: "/account/verify-email" },
    history: { replaceState: (...[, , path]: [unknown, unknown, string]) => void replaced.push(path) },
    fetch: async (url: string, { body }: { body: string }) => {
      posted.push([url, JSON.parse(body)]);
      return { ok: true };
    },
  });
  return { posted, replaced, account, press: submit };
}

describe("The pages that mails link to", () => {
  const { world } = setUpWorld();

  const data = { username: "ana", token: "t" };
  const links = [
    MAIL_TEXTS.verify_address(data),
    MAIL_TEXTS.confirm_new_address(data),
    MAIL_TEXTS.address_changed(data),
    MAIL_TEXTS.reset_password(data),
    MAIL_TEXTS.two_factor_enabled({ ...data, at: "2026-03-02T18:00:00.000Z" }),
  ].flatMap(({ link }) => (link && "path" in link ? [link.path] : []));

  for (const path of new Set([...links, "unsubscribe"])) {
    it(`has ${path}, which runs its own script and is in nobody's frame`, async () => {
      const answer = await fetch(`${world.baseUrl}/account/${path}`);
      const page = await answer.text();
      const policy = answer.headers.get("content-security-policy");

      expect(answer.status).equal(200);
      expect(policy).contain("default-src 'none'").and.contain("frame-ancestors 'none'");
      expect(answer.headers.get("referrer-policy")).equal("no-referrer");
      expect(page)
        .match(/<form [^>]*data-posts="[a-z0-9/]+"/)
        .and.not.match(/<script>| on[a-z]+=|http-equiv|<(?:iframe|img|object|embed)/);
      const [, posts = ""] = /data-posts="([a-z0-9/]+)"/.exec(page) ?? [];
      // Without a token it is refused for its form, so there is such an operation.
      const body = JSON.stringify({ token: "" });
      const headers = { "content-type": "application/json" };
      const posted = await fetch(`${world.baseUrl}/v1/${posts}`, { method: "POST", body, headers });
      expect(posted.status).equal(400);
    });
  }

  it("names the account of the mail, as text", async () => {
    const script = await (await fetch(`${world.baseUrl}/account/account.js`)).text();

    const { account } = openPage(script, "#token=a-token&account=ana");

    expect(account).deep.equal({ textContent: "Account: ana. Verify only if it is yours.", hidden: false });
    expect(openPage(script, "#token=a-token").account.hidden).equal(true);
  });

  it("take the token out of the address, and post it when the button is pressed, never before", async () => {
    const script = await (await fetch(`${world.baseUrl}/account/account.js`)).text();
    const page = openPage(script, "#token=a-token");

    await settled();
    expect(page.posted).deep.equal([]);
    expect(page.replaced).deep.equal(["/account/verify-email"]);

    page.press();
    await settled();
    expect(page.posted).deep.equal([["../v1/auth/email/verify", { token: "a-token" }]]);
  });
});
