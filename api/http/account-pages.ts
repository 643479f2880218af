import { type RequestHandler, Router } from "express";
import helmet from "helmet";
import { type Html, html } from "./html.ts";

type Page = {
  title: string;
  button: string;
  /** Below `/v1`. */
  posts: string;
  /** The token goes in the query instead of the body. */
  tokenInQuery?: true;
  done: string;
  choosesPassword?: true;
  /** Shows the account's name, which is in the fragment. */
  namesAccount?: true;
};

/** The pages that links in mails lead to (`LinkPath` of actors/mail/texts.ts). */
const PAGES: Record<string, Page> = {
  "verify-email": {
    title: "Verify your e-mail address",
    button: "Verify the address",
    posts: "auth/email/verify",
    done: "Your address is verified.",
    namesAccount: true,
  },
  "reset-password": {
    title: "Choose a new password",
    button: "Set the password",
    posts: "auth/password/reset",
    done: "Your password was changed, and all sessions have ended. Sign in with the new password.",
    choosesPassword: true,
  },
  "undo-email": {
    title: "Undo the change of your e-mail address",
    button: "Undo the change",
    posts: "auth/email/undo",
    done: "Your account has its e-mail address back, and all sessions have ended. We mailed you a link to choose a new password.",
  },
  "undo-two-factor": {
    title: "Switch off two-factor authentication",
    button: "Switch it off",
    posts: "auth/2fa/undo",
    done: "Two-factor authentication is switched off, and all sessions have ended. We mailed you a link to choose a new password.",
  },
  unsubscribe: {
    title: "Unsubscribe from notification mails",
    button: "Stop these mails",
    posts: "notifications/unsubscribe",
    tokenInQuery: true,
    done: "You won't get any more notification mails. You can still find your notifications in the list, and turn the mails on again in your settings.",
  },
};

/**
 * The token comes in the fragment, which no log and no other page sees, and is posted only when the button is pressed:
 * programs that scan mails open links, and would use it up.
 */
const SCRIPT = `"use strict";
const form = document.querySelector("form");
const output = document.querySelector("output");
const params = new URLSearchParams(location.hash.slice(1));
const token = params.get("token") ?? "";
const account = document.querySelector("#account");
if (account && params.get("account")) {
  account.textContent = "Account: " + params.get("account") + ". Verify only if it is yours.";
  account.hidden = false;
}
history.replaceState(null, "", location.pathname);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const query = "query" in form.dataset ? "?token=" + encodeURIComponent(token) : "";
    const answer = await fetch("../v1/" + form.dataset.posts + query, {
      method: "POST",
      credentials: "omit",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, ...Object.fromEntries(new FormData(form)) }),
    });
    if (answer.ok) form.hidden = true;
    const refused = answer.ok ? null : await answer.json();
    output.textContent = answer.ok ? form.dataset.done : refused.message;
  } catch {
    output.textContent = "That didn't work. Try again.";
  }
  button.disabled = false;
});
`;

const STYLE = `:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; }
input, button { font: inherit; padding: .5rem 1rem; margin: .25rem 0; }
`;

const PASSWORD = html`<p><label>New password<br><input type="password" name="password" minlength="10" maxlength="128" autocomplete="new-password" required></label></p>`;

const pageOf = ({
  title,
  button,
  posts,
  tokenInQuery,
  done,
  choosesPassword,
  namesAccount,
}: Page): Html => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="account.css">
<h1>${title}</h1>
${namesAccount ? html`<p id="account" hidden></p>\n` : html``}<form method="post" data-posts="${posts}"${tokenInQuery ? html` data-query` : html``} data-done="${done}">${choosesPassword ? PASSWORD : html``}<p><button>${button}</button></p></form>
<p><output></output></p>
<script src="account.js"></script>
</html>
`;

/** Serves a page for each link of a mail, at /account; addresses are relative, since PUBLIC_URL may have a path. */
export function accountPages(): Router {
  const router = Router();
  router.use(
    helmet.contentSecurityPolicy({
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        connectSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    }),
    uncached,
  );
  for (const [path, page] of Object.entries(PAGES)) {
    const { text } = pageOf(page);
    router.get(`/${path}`, (_req, res) => void res.type("html").send(text));
  }
  router.get("/account.js", (_req, res) => void res.type("js").send(SCRIPT));
  router.get("/account.css", (_req, res) => void res.type("css").send(STYLE));
  return router;
}

const uncached: RequestHandler = (_req, res, next) => {
  res.set("Cache-Control", "no-store");
  next();
};
