import { page } from "../components/later.tsx";

const VerifyEmail = page(async () => (await import("../accounts/mailed/verify-email.tsx")).VerifyEmail);
const ResetPassword = page(async () => (await import("../accounts/mailed/reset-password.tsx")).ResetPassword);
const ForgotPassword = page(
  async () => (await import("../accounts/mailed/forgot-password.tsx")).ForgotPassword,
);
const UndoEmail = page(async () => (await import("../accounts/mailed/undo-email.tsx")).UndoEmail);
const UndoTwoFactor = page(
  async () => (await import("../accounts/mailed/undo-two-factor.tsx")).UndoTwoFactor,
);
const Unsubscribe = page(async () => (await import("../accounts/mailed/unsubscribe.tsx")).Unsubscribe);
const CheckMail = page(async () => (await import("../accounts/sign-up/check-mail.tsx")).CheckMail);
const Settings = page(async () => (await import("../accounts/settings/settings.tsx")).Settings);
const ProfileSettings = page(async () => (await import("../accounts/settings/profile.tsx")).ProfileSettings);
const AccountSettings = page(async () => (await import("../accounts/settings/account.tsx")).AccountSettings);
const SecuritySettings = page(
  async () => (await import("../accounts/settings/security.tsx")).SecuritySettings,
);
const ConnectionSettings = page(
  async () => (await import("../accounts/settings/connections.tsx")).ConnectionSettings,
);
const NotificationSettings = page(
  async () => (await import("../notifications/notification-settings.tsx")).NotificationSettings,
);
const TokenSettings = page(async () => (await import("../accounts/settings/tokens.tsx")).TokenSettings);
const BlockedSettings = page(async () => (await import("../accounts/settings/blocked.tsx")).BlockedSettings);
const SubscriptionSettings = page(
  async () => (await import("../billing/subscriptions.tsx")).SubscriptionSettings,
);
const PointsSettings = page(async () => (await import("../points/points-settings.tsx")).PointsSettings);
const StandingSettings = page(
  async () => (await import("../accounts/settings/standing.tsx")).StandingSettings,
);
const DataSettings = page(async () => (await import("../accounts/settings/data.tsx")).DataSettings);

/** The pages of an account besides signing in and up. The service has them in api/discovery/site/account-pages.ts. */
export const ACCOUNT_PAGES = [
  ["/sign-up/verify", CheckMail],
  ["/account/verify-email", VerifyEmail],
  ["/account/reset-password", ResetPassword],
  ["/account/forgot-password", ForgotPassword],
  ["/account/undo-email", UndoEmail],
  ["/account/undo-two-factor", UndoTwoFactor],
  ["/account/unsubscribe", Unsubscribe],
  ["/settings", Settings],
  ["/settings/profile", ProfileSettings],
  ["/settings/account", AccountSettings],
  ["/settings/security", SecuritySettings],
  ["/settings/notifications", NotificationSettings],
  ["/settings/connections", ConnectionSettings],
  ["/settings/tokens", TokenSettings],
  ["/settings/blocked", BlockedSettings],
  ["/settings/subscriptions", SubscriptionSettings],
  ["/settings/points", PointsSettings],
  ["/settings/standing", StandingSettings],
  ["/settings/data", DataSettings],
] as const;
