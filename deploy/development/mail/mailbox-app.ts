/** The mailbox of development, at `/mail` on the internal port; `/mail.json` is for scripts. Only outside production. */
import express, { type RequestHandler } from "express";
import type { ReceivedMail } from "./received.ts";
import type { MailSink } from "./sink.ts";

/** Nothing is loaded and no script runs; a mail can't affect the page around it. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

export function createMailboxApp(sink: Pick<MailSink, "mails">): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.use((_req, res, next) => {
    res.set({
      "Content-Security-Policy": POLICY,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    });
    next();
  });

  const found =
    (show: (mail: ReceivedMail) => string, policy = POLICY): RequestHandler =>
    (req, res) => {
      const mail = sink.mails().find(({ id }) => String(id) === req.params.id);
      if (mail) res.set("Content-Security-Policy", policy).type("html").send(show(mail));
      else res.status(404).type("text").send("There is no such mail (any more).\n");
    };

  app.get("/mail", (_req, res) => void res.type("html").send(listPage(sink.mails())));
  app.get("/mail.json", (_req, res) => void res.json({ items: sink.mails() }));
  app.get("/mail/:id", found(mailPage));
  app.get(
    "/mail/:id/html",
    found(
      ({ html, text }) => html ?? `<pre>${escaped(text)}</pre>`,
      // Treated as an untrusted page: no script, no origin, and links open outside the frame.
      "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox",
    ),
  );
  app.use((_req, res) => void res.status(404).type("text").send("Here are /mail and /mail.json.\n"));
  return app;
}

const STYLE =
  ":root{color-scheme:light dark}body{font:1rem system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}td,th{text-align:left;vertical-align:top;padding:.3rem 1rem .3rem 0}td{min-width:6rem}iframe{background:#fff}pre{white-space:pre-wrap;overflow-wrap:anywhere}iframe{width:100%;height:30rem;border:1px solid}";

const page = (title: string, body: string): string =>
  `<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style>\n${body}\n</html>\n`;

function listPage(mails: readonly ReceivedMail[]): string {
  const rows = [...mails]
    .reverse()
    .map(
      ({ id, to, subject, receivedAt }) =>
        `<tr><td><a href="/mail/${id}">${escaped(subject)}</a><td>${escaped(to.join(", "))}<td>${escaped(receivedAt)}`,
    );
  const body =
    rows.length > 0 ? `<table><tr><th>subject<th>to<th>at\n${rows.join("\n")}</table>` : "<p>None yet.</p>";
  return page(
    "Mails",
    `<h1>Mails</h1><p>Nothing leaves this machine. <a href="/mail.json">As JSON</a></p>${body}`,
  );
}

function mailPage({ id, from, to, subject, receivedAt, text }: ReceivedMail): string {
  // Every second piece is a URL.
  const linked = text
    .split(/(https?:\/\/[\w\-./:#=%?&+]+)/)
    .map((piece, i) => (i % 2 === 0 ? escaped(piece) : `<a href="${escaped(piece)}">${escaped(piece)}</a>`))
    .join("");
  return page(
    subject,
    [
      `<p><a href="/mail">All mails</a></p><h1>${escaped(subject)}</h1>`,
      `<p>${escaped(from)} → ${escaped(to.join(", "))}, ${escaped(receivedAt)}</p><pre>${linked}</pre>`,
      `<iframe src="/mail/${id}/html" title="As HTML"></iframe>`,
    ].join("\n"),
  );
}

const escaped = (value: string): string =>
  value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
