import { SMTPServer } from "smtp-server";
import { type ReceivedMail, readMail } from "./received.ts";

/** The sink keeps only the newest mails, and refuses large ones. */
const KEPT = 200;
const MAX_BYTES = 1_048_576;

export type MailSink = {
  /** For SMTP_URL. */
  url: string;
  /** Oldest first. */
  mails(): readonly ReceivedMail[];
  close(): Promise<void>;
};

/**
 * A real SMTP server on this machine, for development and specs: it accepts mails for anybody and forwards none. `refuse`
 * returns the reply to a recipient, such as "550 No such user", or null.
 */
export function startMailSink({
  refuse = () => null,
}: {
  refuse?: (recipient: string) => string | null;
} = {}): Promise<MailSink> {
  const mails: ReceivedMail[] = [];
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    size: MAX_BYTES,
    maxClients: 50,
    closeTimeout: 1_000,
    onRcptTo({ address }, _session, done) {
      const answer = refuse(address);
      if (answer === null) return done();
      done(Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      let bytes = 0;
      stream.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_BYTES) chunks.push(chunk);
      });
      stream.on("error", done);
      stream.on("end", () => {
        if (bytes > MAX_BYTES) return done(Object.assign(new Error("too large"), { responseCode: 552 }));
        mails.push({
          id: ++count,
          receivedAt: new Date().toISOString(),
          from: envelope.mailFrom ? envelope.mailFrom.address : "",
          to: envelope.rcptTo.map(({ address }) => address),
          ...readMail(Buffer.concat(chunks)),
        });
        if (mails.length > KEPT) mails.shift();
        done();
      });
    },
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const listening = server.listen(0, "127.0.0.1", () => {
      server.off("error", reject);
      // Errors of single connections; each client gets its own.
      server.on("error", () => undefined);
      const address = listening.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      resolve({
        url: `smtp://127.0.0.1:${port}`,
        mails: () => mails,
        close: () => new Promise((closed) => server.close(closed)),
      });
    });
  });
}
