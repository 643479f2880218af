export type EveningState =
  | { status: "off" }
  | { status: "starting" }
  | { status: "live"; username: string }
  | { status: "failed" };

/** The demo evening of a service in development; one at most runs. */
export type EveningControl = {
  /** Starts it unless it runs, and resolves with its state, at once: it may be starting. */
  start(): Promise<EveningState>;
  state(): EveningState;
};

export type Development = {
  /** Address of the page of mails; null where mails are sent elsewhere. */
  mailboxUrl: string | null;
  /** Null where a media service brings the pictures. */
  evening: EveningControl | null;
};

/** What pages show to the developer who runs the service; nothing in production. */
export const developmentData = (development: Development | null) =>
  development && {
    development: {
      mailbox_url: development.mailboxUrl,
      evening: development.evening?.state() ?? null,
    },
  };
