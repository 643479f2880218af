/**
 * Everything that mails say. Subjects are constant: nothing that somebody typed comes into a header. Of what strangers may
 * have chosen only names of accounts (letters, digits, underscores) and addresses of networks are repeated, so that nobody
 * can have us send a text or a link of theirs; why staff decided something is in their own words.
 */
import type { MeasureDoc } from "../../store/mongo/reports.ts";

/** A mail before it has a form: paragraphs of plain text, and one link of ours. */
export type MailText = {
  subject: string;
  paragraphs: readonly string[];
  link?: { label: string; path: LinkPath; token: string } | { label: string; url: string };
  after?: readonly string[];
  /** A token by which no more of these come: a link at the end, and one that mail programs show by themselves. */
  unsubscribe?: string;
};

/** Pages below the account's, which take the token from the fragment. */
export type LinkPath = "verify-email" | "reset-password" | "undo-email" | "undo-two-factor" | "unsubscribe";

/** What each template needs. Times are ISO 8601, UTC. */
export type MailData = {
  /** To the address of a new account. */
  verify_address: { username: string; token: string };
  /** To the address that an account is to have instead of its present one. */
  confirm_new_address: { username: string; token: string };
  /** To the address that an account had. */
  address_changed: { username: string; token: string };
  reset_password: { username: string; token: string };
  password_changed: { username: string; at: string };
  /** `undoneUntil` when it goes to an address that the account had: until then its link undoes the change of address. */
  account_deleted: { username: string; at: string; undoneUntil: string | null };
  /** `device` by `deviceName`, `address` the network address. */
  new_device: { username: string; device: string; address: string; at: string };
  /** `prefix` is the part of the token that is shown; the name that was given to it isn't repeated. */
  api_token_created: { username: string; prefix: string; at: string };
  /** By its owner. */
  two_factor_enabled: { username: string; token: string; at: string };
  two_factor_changed: {
    username: string;
    change: "given" | "disabled" | "recovery_codes_renewed" | "recovery_code_used" | "few_recovery_codes";
    at: string;
  };
  /** `provider` is its name in the configuration. */
  provider_changed: { username: string; provider: string; change: "linked" | "unlinked"; at: string };
  /** What staff did about somebody; the reason is theirs. */
  measure: {
    username: string;
    measure: MeasureDoc["type"];
    reason: string;
    until: string | null;
    at: string;
  };
  appeal_decided: { username: string; status: "granted" | "denied"; at: string };
  /** A line of the list of notifications: texts of ours, with names of accounts. `title` is one of few. */
  notification: { username: string; title: string; body: string; link: string | null; unsubscribe: string };
  /** Several; `more`: those that `lines` leaves out. */
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
  "If that wasn't you, reset your password now: that ends every session and every API token of your account.";

const TWO_FACTOR = {
  given: "Who runs this service gave your account a second factor.",
  disabled: "Two-factor authentication was switched off.",
  recovery_codes_renewed: "New recovery codes were made; the old ones are of no use any more.",
  few_recovery_codes:
    "A recovery code was used to sign in, and only few are left: make new ones. The one that was used is of no use any more.",
  recovery_code_used: "A recovery code was used to sign in. It is of no use any more.",
} as const satisfies Record<MailData["two_factor_changed"]["change"], string>;

const MEASURES = {
  warning: "Who runs this service warned you.",
  remove_content: "Who runs this service removed something that you published.",
  chat_ban: "Who runs this service keeps you from writing in a chat.",
  strike: "Who runs this service gave you a strike. Three in force at once ban an account.",
  account_ban: "Your account was banned. Signing in says how to appeal.",
} as const satisfies Record<MailData["measure"]["measure"], string>;

const hello = (username: string) => `Hello ${username},`;
const when = (iso: string) => `${iso.slice(0, 16).replace("T", " ")} UTC`;

type Texts = { [Template in MailTemplate]: (data: MailData[Template]) => MailText };

export const MAIL_TEXTS: Texts = {
  verify_address: ({ username, token }) => ({
    subject: "Verify your e-mail address",
    paragraphs: [
      hello(username),
      "An account was made with this address. Verify that it is yours, within a day:",
    ],
    link: { label: "Verify the address", path: "verify-email", token },
    after: [
      "If you made no account, ignore this mail: the address isn't used for anything until it is verified.",
    ],
  }),
  confirm_new_address: ({ username, token }) => ({
    subject: "Confirm your new e-mail address",
    paragraphs: [
      hello(username),
      "This address is to become the one of your account. Until you confirm it, within a day, the present one stays:",
    ],
    link: { label: "Use this address", path: "verify-email", token },
    after: ["If this isn't your account, ignore this mail: nothing changes."],
  }),
  address_changed: ({ username, token }) => ({
    subject: "The e-mail address of your account was changed",
    paragraphs: [
      hello(username),
      "Your account has another e-mail address now; mails go there.",
      "If that wasn't you, undo it within seven days. Your account gets this address back, every session ends, and we send you a link to choose a new password:",
    ],
    link: { label: "Undo the change", path: "undo-email", token },
    after: ["If it was you, there is nothing to do."],
  }),
  reset_password: ({ username, token }) => ({
    subject: "Reset your password",
    paragraphs: [
      hello(username),
      "Choose a new password within 30 minutes. Every session of your account ends, and your stream gets another key:",
    ],
    link: { label: "Choose a new password", path: "reset-password", token },
    after: ["If you didn't ask for this, ignore this mail: your password stays as it is."],
  }),
  password_changed: ({ username, at }) => ({
    subject: "Your password was changed",
    paragraphs: [
      hello(username),
      `The password of your account was changed on ${when(at)}.`,
      NOT_YOU_PASSWORD,
    ],
  }),
  account_deleted: ({ username, at, undoneUntil }) => ({
    subject: "Your account was deleted",
    paragraphs: [
      hello(username),
      `Your account was deleted on ${when(at)}. 30 days later it is erased, and then there is no way back.`,
      undoneUntil === null
        ? "If that wasn't you, sign in within these 30 days, or reset your password, which also ends every session and every API token: either undoes it."
        : `This was the address of your account. If you didn't change it, the link in our mail about that change works until ${when(undoneUntil)}: it undoes the deletion too.`,
      "If it was you, there is nothing to do.",
    ],
  }),
  new_device: ({ username, device, address, at }) => ({
    subject: "A new device signed in to your account",
    paragraphs: [
      hello(username),
      `On ${when(at)} your account was signed in on a new device: ${device}, from ${address}.`,
      `If it was you, there is nothing to do. ${NOT_YOU_PASSWORD}`,
    ],
  }),
  api_token_created: ({ username, prefix, at }) => ({
    subject: "A new API token was made for your account",
    paragraphs: [
      hello(username),
      `On ${when(at)} an API token beginning with ${prefix} was made for your account.`,
      NOT_YOU_PASSWORD,
    ],
  }),
  two_factor_enabled: ({ username, token, at }) => ({
    subject: "Two-factor authentication of your account was switched on",
    paragraphs: [
      hello(username),
      `Since ${when(at)} signing in to your account takes a code.`,
      "If that wasn't you, undo it within seven days; another password alone doesn't help. The codes are of no use then, every session and every API token ends, and we send you a link to choose a new password:",
    ],
    link: { label: "Switch it off", path: "undo-two-factor", token },
    after: ["If it was you, there is nothing to do. Keep your recovery codes in a safe place."],
  }),
  two_factor_changed: ({ username, change, at }) => ({
    subject: "Two-factor authentication of your account was changed",
    paragraphs: [hello(username), `${TWO_FACTOR[change]} It happened on ${when(at)}.`, NOT_YOU_PASSWORD],
  }),
  provider_changed: ({ username, provider, change, at }) => ({
    subject: "The ways to sign in to your account were changed",
    paragraphs: [
      hello(username),
      change === "linked"
        ? `On ${when(at)} an account at ${provider} was linked: it signs in to yours from now on.`
        : `On ${when(at)} the account at ${provider} was unlinked: it doesn't sign in to yours any more.`,
      NOT_YOU_PASSWORD,
    ],
  }),
  measure: ({ username, measure, reason, until, at }) => ({
    subject: measure === "account_ban" ? "Your account was banned" : "A decision about what you did",
    paragraphs: [
      hello(username),
      `${MEASURES[measure]} It happened on ${when(at)}.`,
      ...(until === null ? [] : [`It holds until ${when(until)}.`]),
      `The reason: ${reason}`,
    ],
  }),
  appeal_decided: ({ username, status, at }) => ({
    subject: "Your appeal was decided",
    paragraphs: [
      hello(username),
      status === "granted"
        ? `Your appeal was granted on ${when(at)}: what it was about is undone.`
        : `Your appeal was denied on ${when(at)}: what it was about stays.`,
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

/** Words of ours for a User-Agent: the header itself is whatever a stranger wants to have said. */
export function deviceName(userAgent: string | null): string {
  const known = (of: readonly (readonly [mark: string, name: string])[]) =>
    of.find(([mark]) => userAgent?.includes(mark))?.[1];
  const [browser, system] = [known(BROWSERS), known(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? "an app or browser that we don't know";
}
