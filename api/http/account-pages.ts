import { type RequestHandler, Router } from "express";
import { ACCOUNT_SCRIPT } from "./account-script.ts";
import { type Html, html } from "./html.ts";
import { pageLayout, pagePolicy, SITE_STYLE } from "./page-layout.ts";

type Page = {
  title: string;
  button: string;
  /** Below `/v1`. */
  posts: string;
  /** The token goes in the query instead of the body. */
  tokenInQuery?: true;
  done: string;
  /** Where the token was used or has expired: why, and how to go on. Null: the page needs no token. */
  over: string | null;
  /** Above the button. */
  fields?: Html;
  /** Shows the account's name, which is in the fragment. */
  namesAccount?: true;
  /** Where nothing can succeed, it leads to the page that mails another link. */
  offersNewLink?: true;
};

const NO_USE = "This link was used already, or it has expired.";
const ASK_OPERATOR = `${NO_USE} If you can't get into your account, reset its password, or ask the operator of this service.`;

const PASSWORD = html`<p><label for="password">New password</label><br>
<input id="password" type="password" name="password" minlength="10" maxlength="128" autocomplete="new-password" aria-describedby="rule" required></p>
<p id="rule" class="quiet">At least 10 characters. A password that is easy to guess is refused: several words that don't belong together are better than a name, a date or a pattern of keys.</p>
`;

const EMAIL = html`<p><label for="email">E-mail address of your account</label><br>
<input id="email" type="email" name="email" maxlength="254" autocomplete="email" required></p>
`;

/** The pages that links in mails lead to (`LinkPath` of actors/mail/texts.ts). */
const PAGES: Record<string, Page> = {
  "verify-email": {
    title: "Verify your e-mail address",
    button: "Verify the address",
    posts: "auth/email/verify",
    done: "Your address is verified. You can close this page.",
    over: `${NO_USE} If your address isn't verified yet, sign in and ask for a new mail.`,
    namesAccount: true,
  },
  "reset-password": {
    title: "Choose a new password",
    button: "Set the password",
    posts: "auth/password/reset",
    done: "Your password was changed, and all sessions have ended. Sign in with the new password.",
    over: NO_USE,
    fields: PASSWORD,
    offersNewLink: true,
  },
  "forgot-password": {
    title: "Reset your password",
    button: "Mail me a link",
    posts: "auth/password/forgot",
    done: "If an account has this address, a mail with a link is on its way. The link works for 30 minutes. Look among the junk mail as well.",
    over: null,
    fields: EMAIL,
  },
  "undo-email": {
    title: "Undo the change of your e-mail address",
    button: "Undo the change",
    posts: "auth/email/undo",
    done: "Your account has its e-mail address back, and all sessions have ended. We mailed you a link to choose a new password.",
    over: ASK_OPERATOR,
    offersNewLink: true,
  },
  "undo-two-factor": {
    title: "Switch off two-factor authentication",
    button: "Switch it off",
    posts: "auth/2fa/undo",
    done: "Two-factor authentication is switched off, and all sessions have ended. We mailed you a link to choose a new password.",
    over: ASK_OPERATOR,
    offersNewLink: true,
  },
  unsubscribe: {
    title: "Unsubscribe from notification mails",
    button: "Stop these mails",
    posts: "notifications/unsubscribe",
    tokenInQuery: true,
    done: "You won't get any more notification mails. You can still find your notifications in the list, and turn the mails on again in your settings.",
    over: "This link no longer works. Use the link of a newer mail, or turn the mails off in your settings.",
  },
};

const STYLE = `${SITE_STYLE}
main { max-width: 36rem; }
input { width: 100%; max-width: 24rem; background: var(--ground); border-color: var(--quiet); }
input[aria-invalid] { border-color: var(--live); }
button:disabled { opacity: .6; }
output { display: block; font-weight: 600; }
@media (scripting: none) { form { display: none; } }
`;

/** The page runs its own script, which asks this service alone. */
const POLICY = pagePolicy(STYLE, ["script-src 'self'", "connect-src 'self'", "form-action 'none'"]);

const pageOf = (root: string, page: Page): Html => {
  const {
    title,
    button,
    posts,
    tokenInQuery,
    done,
    over,
    fields = html``,
    namesAccount,
    offersNewLink,
  } = page;
  const token = over === null ? html`` : html` data-token data-over="${over}"`;
  const newLink = offersNewLink
    ? html`<p id="new-link" hidden><a href="${root}account/forgot-password">Get a new link to reset your password</a></p>\n`
    : html``;
  return pageLayout({
    root,
    title: `${title} · livecore`,
    style: STYLE,
    main: html`<h1>${title}</h1>
<noscript><p>This page needs JavaScript. Switch it on, then open the address again.</p></noscript>
${namesAccount ? html`<p id="account" hidden></p>\n` : html``}<form method="post" data-posts="${posts}"${tokenInQuery ? html` data-query` : html``}${token} data-done="${done}">
${fields}<p><button>${button}</button></p>
</form>
<output></output>
<div id="next" hidden>
${newLink}<p><a href="${root}">Go to the front page</a></p>
</div>
<script src="account.js"></script>
`,
  });
};

/** Serves a page for each link of a mail, at /account, below the path of PUBLIC_URL. */
export function accountPages(root: string): Router {
  // A longer or capital address would show a page whose script lies elsewhere.
  const router = Router({ caseSensitive: true, strict: true });
  router.use(headers);
  for (const [path, page] of Object.entries(PAGES)) {
    const { text } = pageOf(root, page);
    router.get(`/${path}`, (_req, res) => void res.type("html").send(text));
  }
  router.get("/account.js", (_req, res) => void res.type("js").send(ACCOUNT_SCRIPT));
  return router;
}

const headers: RequestHandler = (_req, res, next) => {
  res.set({ "Content-Security-Policy": POLICY, "Cache-Control": "no-store" });
  next();
};
