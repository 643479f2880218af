/**
 * All texts of mails. Subjects are constant, so no user input gets into a header. Of values that strangers may have chosen, only
 * account names (letters, digits, underscores) and network addresses appear, so that nobody can make us send their text or link.
 * Reasons for decisions are in the words of staff.
 */
import type { MeasureDoc } from "../../store/mongo/safety/reports.ts";

/** A mail before rendering: paragraphs of plain text, and one link of ours. */
type MailText = {
  subject: string;
  paragraphs: readonly string[];
  link?: MailLink | { label: string; url: string };
  after?: readonly string[];
  /** The unsubscribe token, for a link at the end and for the header from which mail clients show their own button. */
  unsubscribe?: string;
};

/** Pages below `/account`; all but the one that mails a link read the token from the fragment. */
type LinkPath =
  | "verify-email"
  | "reset-password"
  | "forgot-password"
  | "undo-email"
  | "undo-two-factor"
  | "unsubscribe";

/** A link to a page of ours. `account` is the name that the page shows. */
export type MailLink = { label: string; path: LinkPath; token?: string; account?: string };

/** The data of each template. Times are ISO 8601, UTC. */
export type MailData = {
  /** To the address of a new account. */
  verify_address: { username: string; token: string };
  /** To the address that will replace the account's present one. */
  confirm_new_address: { username: string; token: string };
  /** To the account's previous address. */
  address_changed: { username: string; token: string };
  reset_password: { username: string; token: string };
  password_changed: { username: string; at: string };
  /** `undoneUntil` is set in mails to a previous address: until then, the link to undo the change of address works. */
  account_deleted: { username: string; at: string; undoneUntil: string | null };
  /** `device` comes from `deviceName`; `address` is the network address. */
  new_device: { username: string; device: string; address: string; at: string };
  /** `prefix` is the visible part of the token. The token's name is user input, so it isn't included. */
  api_token_created: { username: string; prefix: string; at: string };
  /** Enabled by the owner. */
  two_factor_enabled: { username: string; token: string; at: string };
  two_factor_changed: {
    username: string;
    change: "given" | "disabled" | "recovery_codes_renewed" | "recovery_code_used" | "few_recovery_codes";
    at: string;
  };
  /** `provider` is the provider's name in the configuration. `tookOver`: linked by the address, so all else has ended. */
  provider_changed: {
    username: string;
    provider: string;
    change: "linked" | "unlinked";
    tookOver?: boolean;
    at: string;
  };
  /** The passkey's name is user input, so it isn't included. */
  passkey_changed: { username: string; change: "added" | "removed"; at: string };
  /** A measure taken by staff; they wrote the reason. */
  measure: {
    username: string;
    measure: MeasureDoc["type"];
    reason: string;
    until: string | null;
    at: string;
  };
  appeal_decided: { username: string; status: "granted" | "denied"; at: string };
  /** One notification: our own texts with account names. `title` is one of a few constants. */
  notification: { username: string; title: string; body: string; link: string | null; unsubscribe: string };
  /** Several notifications; `more` is the number of those not in `lines`. */
  notification_digest: {
    username: string;
    summary: string;
    lines: readonly string[];
    more: number;
    unsubscribe: string;
  };
};

export type MailTemplate = keyof MailData;

const NOT_YOU_PASSWORD =
  "If this wasn't you, reset your password now. That ends all sessions, passkeys and API tokens of your account.";

const RESET_LINK: MailLink = { label: "Reset your password", path: "forgot-password" };

const TOOK_OVER =
  "It was connected because it has this email address. If someone else created this account before you: its old password, logins, passkeys, API tokens and other connections no longer work, and the stream key is new. Reset your password to use one.";

const TWO_FACTOR = {
  given: "The operator of this service set up two-factor authentication for your account.",
  disabled: "Two-factor authentication was turned off.",
  recovery_codes_renewed: "New recovery codes were created. The old ones no longer work.",
  few_recovery_codes:
    "A recovery code was used to log in and no longer works. Only a few are left, so please create new ones.",
  recovery_code_used: "A recovery code was used to log in. It no longer works.",
} as const satisfies Record<MailData["two_factor_changed"]["change"], string>;

const MEASURES = {
  warning: "You received a warning from the staff of this service.",
  remove_content: "The staff of this service removed something that you published.",
  chat_ban: "The staff of this service timed you out in a chat.",
  strike:
    "You received a strike from the staff of this service. An account with three active strikes is banned.",
  account_ban: "Your account was banned. When you try to log in, you are told how to appeal.",
} as const satisfies Record<MailData["measure"]["measure"], string>;

const hello = (username: string) => `Hello ${username},`;
const when = (iso: string) => `${iso.slice(0, 16).replace("T", " ")} UTC`;

type Texts = { [Template in MailTemplate]: (data: MailData[Template]) => MailText };

export const MAIL_TEXTS: Texts = {
  verify_address: ({ username, token }) => ({
    subject: "Verify your email address",
    paragraphs: [
      hello(username),
      `The account ${username} was created with this email address. If you created it, please verify within one day that the address is yours:`,
    ],
    link: { label: "Verify the address", path: "verify-email", token, account: username },
    after: [
      `If you didn't create the account ${username}, don't verify: someone else knows its password. The address isn't used for anything until it is verified.`,
    ],
  }),
  confirm_new_address: ({ username, token }) => ({
    subject: "Confirm your new email address",
    paragraphs: [
      hello(username),
      `You asked to use this email address for your account ${username}. Please confirm it within one day; until then, your current address stays in use:`,
    ],
    link: { label: "Use this address", path: "verify-email", token, account: username },
    after: [`If the account ${username} isn't yours, ignore this email. Nothing will change.`],
  }),
  address_changed: ({ username, token }) => ({
    subject: "The email address of your account was changed",
    paragraphs: [
      hello(username),
      "Your account now has a different email address, and emails are sent there.",
      "If this wasn't you, undo the change within seven days. Your account will get this address back, all sessions will end, and we will send you a link to choose a new password:",
    ],
    link: { label: "Undo the change", path: "undo-email", token },
    after: ["If it was you, there is nothing to do."],
  }),
  reset_password: ({ username, token }) => ({
    subject: "Reset your password",
    paragraphs: [
      hello(username),
      "Choose a new password within 30 minutes. All sessions of your account will then end, and your stream will get a new key:",
    ],
    link: { label: "Choose a new password", path: "reset-password", token },
    after: ["If you didn't ask for this, ignore this email. Your password won't change."],
  }),
  password_changed: ({ username, at }) => ({
    subject: "Your password was changed",
    paragraphs: [
      hello(username),
      `The password of your account was changed on ${when(at)}.`,
      NOT_YOU_PASSWORD,
    ],
    link: RESET_LINK,
  }),
  account_deleted: ({ username, at, undoneUntil }) => ({
    subject: "Your account was deleted",
    paragraphs: [
      hello(username),
      `Your account was deleted on ${when(at)}. After 30 days it will be erased and can't be restored.`,
      undoneUntil === null
        ? "If this wasn't you, log in within these 30 days, or reset your password, which also ends all sessions and API tokens. Either one restores your account."
        : `This was the email address of your account. If you didn't change it, use the link in our email about that change, which works until ${when(undoneUntil)}. It also undoes the deletion.`,
      "If it was you, there is nothing to do.",
    ],
    ...(undoneUntil === null ? { link: RESET_LINK } : {}),
  }),
  new_device: ({ username, device, address, at }) => ({
    subject: "A new device logged in to your account",
    paragraphs: [
      hello(username),
      `On ${when(at)} a new device logged in to your account: ${device}, from ${address}.`,
      `If it was you, there is nothing to do. ${NOT_YOU_PASSWORD}`,
    ],
    link: RESET_LINK,
  }),
  api_token_created: ({ username, prefix, at }) => ({
    subject: "A new API token was created for your account",
    paragraphs: [
      hello(username),
      `On ${when(at)} an API token beginning with ${prefix} was created for your account.`,
      NOT_YOU_PASSWORD,
    ],
    link: RESET_LINK,
  }),
  two_factor_enabled: ({ username, token, at }) => ({
    subject: "Two-factor authentication was turned on for your account",
    paragraphs: [
      hello(username),
      `Since ${when(at)}, logging in to your account requires a code.`,
      "If this wasn't you, undo it within seven days; changing your password alone doesn't help. The codes will stop working, all sessions and API tokens will end, and we will send you a link to choose a new password:",
    ],
    link: { label: "Turn it off", path: "undo-two-factor", token },
    after: ["If it was you, there is nothing to do. Keep your recovery codes in a safe place."],
  }),
  two_factor_changed: ({ username, change, at }) => ({
    subject: "Two-factor authentication was changed for your account",
    paragraphs: [hello(username), `${TWO_FACTOR[change]} It happened on ${when(at)}.`, NOT_YOU_PASSWORD],
    link: RESET_LINK,
  }),
  provider_changed: ({ username, provider, change, tookOver = false, at }) => ({
    subject: "The ways to log in to your account were changed",
    paragraphs: [
      hello(username),
      change === "linked"
        ? `On ${when(at)} an account at ${provider} was connected. It can now be used to log in to your account.`
        : `On ${when(at)} the account at ${provider} was disconnected. It can no longer be used to log in to your account.`,
      ...(tookOver ? [TOOK_OVER] : []),
      NOT_YOU_PASSWORD,
    ],
    link: RESET_LINK,
  }),
  passkey_changed: ({ username, change, at }) => ({
    subject: "The ways to log in to your account were changed",
    paragraphs: [
      hello(username),
      change === "added"
        ? `On ${when(at)} a passkey was added. It can now be used to log in to your account.`
        : `On ${when(at)} a passkey was removed. It can no longer be used to log in to your account.`,
      NOT_YOU_PASSWORD,
    ],
    link: RESET_LINK,
  }),
  measure: ({ username, measure, reason, until, at }) => ({
    subject:
      measure === "account_ban" ? "Your account was banned" : "A moderation decision about your account",
    paragraphs: [
      hello(username),
      `${MEASURES[measure]} It happened on ${when(at)}.`,
      ...(until === null ? [] : [`It applies until ${when(until)}.`]),
      `Reason: ${reason}`,
    ],
  }),
  appeal_decided: ({ username, status, at }) => ({
    subject: "Your appeal was decided",
    paragraphs: [
      hello(username),
      status === "granted"
        ? `Your appeal was accepted on ${when(at)}. The decision that you appealed against has been undone.`
        : `Your appeal was declined on ${when(at)}. The decision that you appealed against stands.`,
    ],
  }),
  notification: ({ username, title, body, link, unsubscribe }) => ({
    subject: title,
    paragraphs: [hello(username), body],
    ...(link === null ? {} : { link: { label: "Open the channel", url: link } }),
    unsubscribe,
  }),
  notification_digest: ({ username, summary, lines, more, unsubscribe }) => ({
    subject: "New notifications",
    paragraphs: [hello(username), `${summary}:`, ...lines, ...(more > 0 ? [`And ${more} more.`] : [])],
    unsubscribe,
  }),
};

const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/** Describes a User-Agent in our own words, because the header itself is untrusted input. */
export function deviceName(userAgent: string | null): string {
  const known = (of: readonly (readonly [mark: string, name: string])[]) =>
    of.find(([mark]) => userAgent?.includes(mark))?.[1];
  const [browser, system] = [known(BROWSERS), known(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? "an unknown app or browser";
}
