import { lazy } from "preact-iso";

const VerifyEmail = lazy(async () => (await import("../accounts/mailed/verify-email.tsx")).VerifyEmail);
const ResetPassword = lazy(async () => (await import("../accounts/mailed/reset-password.tsx")).ResetPassword);
const ForgotPassword = lazy(
  async () => (await import("../accounts/mailed/forgot-password.tsx")).ForgotPassword,
);
const UndoEmail = lazy(async () => (await import("../accounts/mailed/undo-email.tsx")).UndoEmail);
const UndoTwoFactor = lazy(
  async () => (await import("../accounts/mailed/undo-two-factor.tsx")).UndoTwoFactor,
);
const Unsubscribe = lazy(async () => (await import("../accounts/mailed/unsubscribe.tsx")).Unsubscribe);
const CheckMail = lazy(async () => (await import("../accounts/sign-up/check-mail.tsx")).CheckMail);
const Settings = lazy(async () => (await import("../accounts/settings/settings.tsx")).Settings);
const ProfileSettings = lazy(async () => (await import("../accounts/settings/profile.tsx")).ProfileSettings);
const AccountSettings = lazy(async () => (await import("../accounts/settings/account.tsx")).AccountSettings);
const SecuritySettings = lazy(
  async () => (await import("../accounts/settings/security.tsx")).SecuritySettings,
);
const ConnectionSettings = lazy(
  async () => (await import("../accounts/settings/connections.tsx")).ConnectionSettings,
);
const NotificationSettings = lazy(
  async () => (await import("../notifications/notification-settings.tsx")).NotificationSettings,
);
const TokenSettings = lazy(async () => (await import("../accounts/settings/tokens.tsx")).TokenSettings);
const BlockedSettings = lazy(async () => (await import("../accounts/settings/blocked.tsx")).BlockedSettings);
const SubscriptionSettings = lazy(
  async () => (await import("../billing/subscriptions.tsx")).SubscriptionSettings,
);
const PointsSettings = lazy(async () => (await import("../points/points-settings.tsx")).PointsSettings);
const StandingSettings = lazy(
  async () => (await import("../accounts/settings/standing.tsx")).StandingSettings,
);
const DataSettings = lazy(async () => (await import("../accounts/settings/data.tsx")).DataSettings);

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
