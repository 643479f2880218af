import type { RenderedMail } from "./rendering.ts";

/** A mail as it is handed to a server. */
export type OutgoingMail = RenderedMail & {
  /** One address. */
  to: string;
  /** With angle brackets. The same for each try of a mail, so that servers and mail clients can drop duplicates. */
  messageId: string;
  date: Date;
};

export type MailTransport = {
  /** Resolves when the server has accepted the mail. Throws `MailRefused` (permanently) and `MailServerUnavailable` (for all mails). */
  send(mail: OutgoingMail): Promise<void>;
  /** The host of the sender's address, used in Message-IDs. */
  readonly senderHost: string;
  close(): void;
};

/** The server couldn't be reached, failed its greeting or is shutting down; the mail isn't the problem. */
export class MailServerUnavailable extends Error {
  override name = "MailServerUnavailable";
}

/** The server permanently rejects this recipient. The error's message contains no address. */
export class MailRefused extends Error {
  constructor(options?: ErrorOptions) {
    super("the mail server refuses this recipient", options);
    this.name = "MailRefused";
  }
}
