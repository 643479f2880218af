import { createTransport } from "nodemailer";
import { PEER_DEADLINES_MS } from "../../base/peer-deadlines.ts";
import { isThisMachine } from "../../base/this-machine.ts";
import { MailRefused, MailServerUnavailable, type MailTransport, type OutgoingMail } from "./transport.ts";

/** Idle timeouts, in ms. Only the deadline of a try stops a server that sends a line now and then. */
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  socketCloseTimeout: 0,
};

/** The status of a server that is shutting down; it may answer any command. */
const CLOSING = 421;

/** Exactly one address, with nothing that could be parsed as a second one, a header or a command. */
const ONE_ADDRESS = /^[^\s<>,;:"()[\]\\@\p{Cc}]+@[^\s<>,;:"()[\]\\@\p{Cc}]+$/u;

/**
 * Sends mails over SMTP: `smtp://` (25 or 587 by its port) with STARTTLS, which is required of a server on another machine, or
 * `smtps://`. A try that takes longer than `deadlineMs` is aborted with its connection and throws `MailServerUnavailable`.
 */
export function createSmtpTransport({
  url,
  from,
  deadlineMs = PEER_DEADLINES_MS.smtp,
}: {
  url: string;
  from: MailSender;
  deadlineMs?: number;
}): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const transporter = createTransport({
    pool: true,
    maxConnections: 5,
    maxMessages: 100,
    ...TIMEOUTS,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    requireTLS: !secure && !isThisMachine(hostname),
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    // Mails never include files or remote content.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    senderHost: from.address.slice(from.address.lastIndexOf("@") + 1),
    async send({ to, messageId, date, subject, text, html, unsubscribeUrl }: OutgoingMail): Promise<void> {
      if (!ONE_ADDRESS.test(to)) throw new MailRefused();
      try {
        await transporter.sendMail({
          // An object isn't parsed as a list of addresses.
          from,
          to: { name: "", address: to },
          envelope: { from: from.address, to: [to] },
          messageId,
          date,
          subject,
          text,
          html,
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

type MailSender = { name: string; address: string };

/** Servers repeat the recipient in their answers, so only codes are kept. */
function failureOf(err: unknown): Error {
  const code = err instanceof Error && "code" in err ? String(err.code) : "unknown";
  const status = err instanceof Error && "responseCode" in err ? Number(err.responseCode) : 0;
  const command = err instanceof Error && "command" in err ? String(err.command) : "";
  const isAboutRecipient = code === "EENVELOPE" && command.startsWith("RCPT");
  if (isAboutRecipient && status >= 500 && status < 600) return new MailRefused();
  const isAboutMail = (code === "EENVELOPE" || code === "EMESSAGE") && status !== CLOSING;
  const what = `the mail server didn't take it: ${code} ${status || ""} ${command.slice(0, 9)}`.trim();
  return isAboutMail ? new Error(what) : new MailServerUnavailable(what);
}
