import type { RenderedMail } from "./rendering.ts";

/** A mail as it goes to a server. */
export type OutgoingMail = RenderedMail & {
  /** One address. */
  to: string;
  /** The same for each try of a mail, with its angle brackets: a server or reader that has it may drop the second. */
  messageId: string;
  date: Date;
};

export type MailTransport = {
  /** Resolves when the server has taken it. Throws `MailRefused` when it never will, and `MailServerAway` when none will be now. */
  send(mail: OutgoingMail): Promise<void>;
  /** The host of the sender's address: what makes Message-IDs ours. */
  readonly senderHost: string;
  close(): void;
};

/** The server couldn't be reached or greeted, or ends its service: what is wrong isn't the mail. */
export class MailServerAway extends Error {
  override name = "MailServerAway";
}

/** The server won't take a mail for that recipient, now or later. Its message has no address in it. */
export class MailRefused extends Error {
  constructor(options?: ErrorOptions) {
    super("the mail server refuses this recipient", options);
    this.name = "MailRefused";
  }
}
