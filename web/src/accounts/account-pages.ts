import { lazy } from "preact-iso";

const VerifyEmail = lazy(async () => (await import("./mailed/verify-email.tsx")).VerifyEmail);
const ResetPassword = lazy(async () => (await import("./mailed/reset-password.tsx")).ResetPassword);
const ForgotPassword = lazy(async () => (await import("./mailed/forgot-password.tsx")).ForgotPassword);
const UndoEmail = lazy(async () => (await import("./mailed/undo-email.tsx")).UndoEmail);
const UndoTwoFactor = lazy(async () => (await import("./mailed/undo-two-factor.tsx")).UndoTwoFactor);
const Unsubscribe = lazy(async () => (await import("./mailed/unsubscribe.tsx")).Unsubscribe);

/** The pages of an account besides signing in and up. The service has them in api/discovery/site/account-pages.ts. */
export const ACCOUNT_PAGES = [
  ["/account/verify-email", VerifyEmail],
  ["/account/reset-password", ResetPassword],
  ["/account/forgot-password", ForgotPassword],
  ["/account/undo-email", UndoEmail],
  ["/account/undo-two-factor", UndoTwoFactor],
  ["/account/unsubscribe", Unsubscribe],
] as const;
