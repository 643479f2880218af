/** A page that is the same document for all: its path, the module that shows it, its title. */
export type PlainPage = readonly [path: string, source: string, title: string];

/** The pages that links in mails lead to (`LinkPath` of actors/mail/texts.ts). A token is in the address's fragment, which isn't sent. */
export const MAILED_PAGES: readonly PlainPage[] = [
  ["/account/verify-email", "src/accounts/mailed/verify-email.tsx", "Verify your email address"],
  ["/account/reset-password", "src/accounts/mailed/reset-password.tsx", "Choose a new password"],
  ["/account/forgot-password", "src/accounts/mailed/forgot-password.tsx", "Reset your password"],
  ["/account/undo-email", "src/accounts/mailed/undo-email.tsx", "Undo the change of your email address"],
  [
    "/account/undo-two-factor",
    "src/accounts/mailed/undo-two-factor.tsx",
    "Turn off two-factor authentication",
  ],
  ["/account/unsubscribe", "src/accounts/mailed/unsubscribe.tsx", "Unsubscribe from notification emails"],
];

/** Signing in and up, and what one sets up for one's account. */
export const ACCOUNT_PAGES: readonly PlainPage[] = [
  ["/sign-in", "src/accounts/sign-in/sign-in.tsx", "Log in"],
  ["/sign-up", "src/accounts/sign-up/sign-up.tsx", "Sign up"],
  ["/sign-up/verify", "src/accounts/sign-up/check-mail.tsx", "Check your email"],
  ["/settings", "src/accounts/settings/settings.tsx", "Settings"],
  ["/settings/profile", "src/accounts/settings/profile.tsx", "Profile"],
  ["/settings/account", "src/accounts/settings/account.tsx", "Account"],
  ["/settings/security", "src/accounts/settings/security.tsx", "Security"],
  ["/settings/notifications", "src/notifications/notification-settings.tsx", "Notifications"],
  ["/settings/connections", "src/accounts/settings/connections.tsx", "Connections"],
  ["/settings/tokens", "src/accounts/settings/tokens.tsx", "API tokens"],
  ["/settings/blocked", "src/accounts/settings/blocked.tsx", "Blocked users"],
  ["/settings/subscriptions", "src/billing/subscriptions.tsx", "Subscriptions and tips"],
  ["/settings/points", "src/points/points-settings.tsx", "Channel points"],
  ["/settings/standing", "src/accounts/settings/standing.tsx", "Strikes and appeals"],
  ["/settings/data", "src/accounts/settings/data.tsx", "Your data"],
];
