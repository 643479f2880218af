import { createTransport } from "nodemailer";
import { MailRefused, MailServerAway, type MailTransport, type OutgoingMail } from "./transport.ts";

/** Of silence, ms: a server that says a line now and then is met by the deadline alone. */
const TIMES = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  socketCloseTimeout: 0,
};
/** Of a whole try, ms, whatever the server says meanwhile; well before it is taken for dead (`mails.ts`). */
const DEADLINE_MS = 40_000;

/** What a server says that ends its service, in answer to whatever command. */
const CLOSING = 421;

/** One address and nothing that could be read as two, as a header or as a command. */
const ONE_ADDRESS = /^[^\s<>,;:"()[\]\\@\p{Cc}]+@[^\s<>,;:"()[\]\\@\p{Cc}]+$/u;

/**
 * Hands mails to an SMTP server: `smtp://` (25 or 587 by its port) with STARTTLS, which a server on another machine must offer, or
 * `smtps://`. `from` is an address, or `Name <address>`. A try that isn't over by `deadlineMs` ends with its connection, and with
 * `MailServerAway`.
 */
export function createSmtpTransport({
  url,
  from,
  deadlineMs = DEADLINE_MS,
}: {
  url: string;
  from: MailSender;
  deadlineMs?: number;
}): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const transporter = createTransport({
    ...{ pool: true, maxConnections: 5, maxMessages: 100, ...TIMES },
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    requireTLS: !secure && !isThisMachine(hostname),
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    // Nothing is ever fetched or read to make a mail.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    senderHost: from.address.slice(from.address.lastIndexOf("@") + 1),
    async send({ to, messageId, date, subject, text, html, unsubscribeUrl }: OutgoingMail): Promise<void> {
      if (!ONE_ADDRESS.test(to)) throw new MailRefused();
      try {
        await transporter.sendMail({
          // An object isn't read as a list of addresses.
          ...{ from, to: { name: "", address: to }, envelope: { from: from.address, to: [to] } },
          ...{ messageId, date, subject, text, html },
          headers: {
            "Auto-Submitted": "auto-generated",
            ...(unsubscribeUrl === undefined
              ? {}
              : {
                  "List-Unsubscribe": `<${unsubscribeUrl}>`,
                  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                }),
          },
          signal: AbortSignal.timeout(deadlineMs),
        });
      } catch (err) {
        throw failureOf(err);
      }
    },
    close: () => transporter.close(),
  };
}

export type MailSender = { name: string; address: string };

const isThisMachine = (host: string): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(host);

/** Servers repeat the recipient in what they say; only codes are kept of it. */
function failureOf(err: unknown): Error {
  const code = err instanceof Error && "code" in err ? String(err.code) : "unknown";
  const status = err instanceof Error && "responseCode" in err ? Number(err.responseCode) : 0;
  const command = err instanceof Error && "command" in err ? String(err.command) : "";
  const isRecipients = code === "EENVELOPE" && command.startsWith("RCPT");
  if (isRecipients && status >= 500 && status < 600) return new MailRefused();
  const isAboutIt = (code === "EENVELOPE" || code === "EMESSAGE") && status !== CLOSING;
  const what = `the mail server didn't take it: ${code} ${status || ""} ${command.slice(0, 9)}`.trim();
  return isAboutIt ? new Error(what) : new MailServerAway(what);
}
