import type { Texts } from "../texts/texts.ts";

/** The module that shows a page, and what the service writes as its title; the page goes on with `useTitle`. */
type TitledPage = readonly [source: string, title: (texts: Texts) => string];
export type TitledPages = Readonly<Record<`/${string}`, TitledPage>>;

const section = (name: keyof Texts["settings"]["sections"], source: string): TitledPage => [
  source,
  ({ settings }) => `${settings.sections[name][0] ?? ""} · ${settings.title}`,
];

const consolePage = (name: Exclude<keyof Texts["console"]["sections"], "stream">): TitledPage => [
  `src/console/${name}/${name}.tsx`,
  ({ console }) => `${console.sections[name]} · ${console.title}`,
];

const staffPage = (name: keyof Texts["staff"]["sections"], source = `${name}/${name}`): TitledPage => [
  `src/staff/${source}.tsx`,
  ({ staff }) => `${staff.sections[name]} · ${staff.title}`,
];

/** Pages whose documents the service makes one by one, with heads for search engines and the answers that the page takes first. */
export const PUBLIC_PAGES = {
  "/": "src/discovery/home.tsx",
  "/categories": "src/discovery/categories.tsx",
  "/categories/:category_id": "src/discovery/category.tsx",
  "/videos/:video_id": "src/live/videos/video.tsx",
  "/clips/:clip_id": "src/live/clips/clip.tsx",
  "/:username": "src/channels/channel.tsx",
} as const;

/** Pages whose document is the same for everybody; what is the reader's own, the script asks for. */
export const PLAIN_PAGES = {
  "/search": ["src/discovery/search.tsx", ({ search }) => search.title],
  "/following": ["src/discovery/following.tsx", ({ following }) => following.title],
  "/notifications": ["src/notifications/notifications.tsx", ({ notifications }) => notifications.title],
  "/whispers": ["src/whispers/whispers.tsx", ({ whispers }) => whispers.title],
  "/whispers/:username": ["src/whispers/whispers.tsx", ({ whispers }) => whispers.title],
  "/support": ["src/safety/support.tsx", ({ support }) => support.title],
  "/console": ["src/console/stream/stream.tsx", ({ console }) => console.title],
  "/console/rewards": consolePage("rewards"),
  "/console/roles": consolePage("roles"),
  "/console/moderated": consolePage("moderated"),
  "/console/schedule": consolePage("schedule"),
  "/console/videos": consolePage("videos"),
  "/console/income": consolePage("income"),
  "/console/emotes": consolePage("emotes"),
  "/console/chat": consolePage("chat"),
  "/console/raids": consolePage("raids"),
  "/console/:username/moderation": [
    "src/console/moderation/moderation.tsx",
    ({ moderationDesk }) => moderationDesk.title,
  ],
  "/console/analytics": consolePage("analytics"),
  "/staff": staffPage("reports"),
  "/staff/reports/:report_id": staffPage("reports", "reports/case"),
  "/staff/appeals": staffPage("appeals"),
  "/staff/support": staffPage("support"),
  "/staff/accounts": staffPage("accounts"),
  "/staff/categories": staffPage("categories"),
  "/staff/sets": staffPage("sets"),
  "/staff/featured": staffPage("featured"),
  "/staff/audit": staffPage("audit"),
  "/staff/accounts/:account_id": staffPage("accounts", "accounts/account"),
  "/console/overlays": consolePage("overlays"),
  "/sign-in": ["src/accounts/sign-in/sign-in.tsx", ({ accounts }) => accounts.signInTitle],
  "/sign-up": ["src/accounts/sign-up/sign-up.tsx", ({ accounts }) => accounts.signUpTitle],
  "/sign-up/verify": ["src/accounts/sign-up/check-mail.tsx", ({ accounts }) => accounts.checkMail.title],
  "/settings": ["src/accounts/settings/settings.tsx", ({ settings }) => settings.title],
  "/settings/profile": section("profile", "src/accounts/settings/profile.tsx"),
  "/settings/account": section("account", "src/accounts/settings/account.tsx"),
  "/settings/security": section("security", "src/accounts/settings/security.tsx"),
  "/settings/notifications": section("notifications", "src/notifications/notification-settings.tsx"),
  "/settings/connections": section("connections", "src/accounts/settings/connections.tsx"),
  "/settings/tokens": section("tokens", "src/accounts/settings/tokens.tsx"),
  "/settings/blocked": section("blocked", "src/accounts/settings/blocked.tsx"),
  "/settings/subscriptions": section("subscriptions", "src/billing/subscriptions.tsx"),
  "/settings/points": section("points", "src/points/points-settings.tsx"),
  "/settings/standing": section("standing", "src/accounts/settings/standing.tsx"),
  "/settings/data": section("data", "src/accounts/settings/data.tsx"),
} as const satisfies TitledPages;

/** Pages that links in mails lead to, which no cache keeps. A token is in the address's fragment, which isn't sent. */
export const MAILED_PAGES = {
  "/account/verify-email": ["src/accounts/mailed/verify-email.tsx", ({ mailed }) => mailed.verify.title],
  "/account/reset-password": ["src/accounts/mailed/reset-password.tsx", ({ mailed }) => mailed.reset.title],
  "/account/forgot-password": [
    "src/accounts/mailed/forgot-password.tsx",
    ({ mailed }) => mailed.forgot.title,
  ],
  "/account/undo-email": ["src/accounts/mailed/undo-email.tsx", ({ mailed }) => mailed.undoEmail.title],
  "/account/undo-two-factor": [
    "src/accounts/mailed/undo-two-factor.tsx",
    ({ mailed }) => mailed.undoTwoFactor.title,
  ],
  "/account/unsubscribe": ["src/accounts/mailed/unsubscribe.tsx", ({ mailed }) => mailed.unsubscribe.title],
} as const satisfies TitledPages;

/** Every component in every state; in development alone. */
export const DEVELOPERS_PAGES = {
  "/gallery": ["src/gallery/gallery.tsx", () => "Gallery"],
} as const satisfies TitledPages;

export type SitePath =
  | keyof typeof PUBLIC_PAGES
  | keyof typeof PLAIN_PAGES
  | keyof typeof MAILED_PAGES
  | keyof typeof DEVELOPERS_PAGES;
