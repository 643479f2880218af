import type { FunctionComponent, VNode } from "preact";
import { Route } from "preact-iso";
import { page } from "../components/later.tsx";
import type { SitePath } from "../pages/pages.ts";
import { to } from "../site/page-data.ts";

/** The page gets the parameters of its path. */
function route<Params extends object>(load: () => Promise<FunctionComponent<Params>>) {
  const Page = page(load);
  return (path: string) => <Route key={path} path={to(path)} component={Page} />;
}

const whispers = route(async () => (await import("../whispers/whispers.tsx")).Whispers);

/** The route of each page, whose script is loaded when it is opened. Of the paths that an address matches, the first counts. */
export const ROUTES: Record<SitePath, (path: string) => VNode> = {
  "/": route(async () => (await import("../discovery/home.tsx")).Home),
  "/categories": route(async () => (await import("../discovery/categories.tsx")).Categories),
  "/categories/:category_id": route(async () => (await import("../discovery/category.tsx")).Category),
  "/search": route(async () => (await import("../discovery/search.tsx")).Search),
  "/following": route(async () => (await import("../discovery/following.tsx")).Following),
  "/sign-in": route(async () => (await import("../accounts/sign-in/sign-in.tsx")).SignIn),
  "/sign-up": route(async () => (await import("../accounts/sign-up/sign-up.tsx")).SignUp),
  "/videos/:video_id": route(async () => (await import("../live/videos/video.tsx")).Video),
  "/clips/:clip_id": route(async () => (await import("../live/clips/clip.tsx")).Clip),
  "/notifications": route(async () => (await import("../notifications/notifications.tsx")).Notifications),
  "/console": route(async () => (await import("../console/stream/stream.tsx")).StreamConsole),
  "/console/overlays": route(async () => (await import("../console/overlays/overlays.tsx")).OverlaysConsole),
  "/console/rewards": route(async () => (await import("../console/rewards/rewards.tsx")).RewardsConsole),
  "/console/moderated": route(
    async () => (await import("../console/moderated/moderated.tsx")).ModeratedConsole,
  ),
  "/console/roles": route(async () => (await import("../console/roles/roles.tsx")).RolesConsole),
  "/console/schedule": route(async () => (await import("../console/schedule/schedule.tsx")).ScheduleConsole),
  "/console/videos": route(async () => (await import("../console/videos/videos.tsx")).VideosConsole),
  "/console/income": route(async () => (await import("../console/income/income.tsx")).IncomeConsole),
  "/console/emotes": route(async () => (await import("../console/emotes/emotes.tsx")).EmotesConsole),
  "/console/raids": route(async () => (await import("../console/raids/raids.tsx")).RaidsConsole),
  "/console/chat": route(async () => (await import("../console/chat/chat.tsx")).ChatConsole),
  "/console/:username/moderation": route(
    async () => (await import("../console/moderation/moderation.tsx")).ModerationDesk,
  ),
  "/console/analytics": route(
    async () => (await import("../console/analytics/analytics.tsx")).AnalyticsConsole,
  ),
  "/staff": route(async () => (await import("../staff/reports/reports.tsx")).StaffReports),
  "/staff/reports/:report_id": route(async () => (await import("../staff/reports/case.tsx")).StaffCase),
  "/staff/appeals": route(async () => (await import("../staff/appeals/appeals.tsx")).StaffAppeals),
  "/staff/support": route(async () => (await import("../staff/support/support.tsx")).StaffSupport),
  "/staff/accounts": route(async () => (await import("../staff/accounts/accounts.tsx")).StaffAccounts),
  "/staff/accounts/:account_id": route(
    async () => (await import("../staff/accounts/account.tsx")).StaffAccount,
  ),
  "/staff/categories": route(
    async () => (await import("../staff/categories/categories.tsx")).StaffCategories,
  ),
  "/staff/sets": route(async () => (await import("../staff/sets/sets.tsx")).StaffSets),
  "/staff/audit": route(async () => (await import("../staff/audit/audit.tsx")).StaffAudit),
  "/staff/featured": route(async () => (await import("../staff/featured/featured.tsx")).StaffFeatured),
  "/whispers": whispers,
  "/whispers/:username": whispers,
  "/support": route(async () => (await import("../safety/support.tsx")).Support),
  "/sign-up/verify": route(async () => (await import("../accounts/sign-up/check-mail.tsx")).CheckMail),
  "/account/verify-email": route(
    async () => (await import("../accounts/mailed/verify-email.tsx")).VerifyEmail,
  ),
  "/account/reset-password": route(
    async () => (await import("../accounts/mailed/reset-password.tsx")).ResetPassword,
  ),
  "/account/forgot-password": route(
    async () => (await import("../accounts/mailed/forgot-password.tsx")).ForgotPassword,
  ),
  "/account/undo-email": route(async () => (await import("../accounts/mailed/undo-email.tsx")).UndoEmail),
  "/account/undo-two-factor": route(
    async () => (await import("../accounts/mailed/undo-two-factor.tsx")).UndoTwoFactor,
  ),
  "/account/unsubscribe": route(async () => (await import("../accounts/mailed/unsubscribe.tsx")).Unsubscribe),
  "/settings": route(async () => (await import("../accounts/settings/settings.tsx")).Settings),
  "/settings/profile": route(async () => (await import("../accounts/settings/profile.tsx")).ProfileSettings),
  "/settings/account": route(async () => (await import("../accounts/settings/account.tsx")).AccountSettings),
  "/settings/security": route(
    async () => (await import("../accounts/settings/security.tsx")).SecuritySettings,
  ),
  "/settings/notifications": route(
    async () => (await import("../notifications/notification-settings.tsx")).NotificationSettings,
  ),
  "/settings/connections": route(
    async () => (await import("../accounts/settings/connections.tsx")).ConnectionSettings,
  ),
  "/settings/tokens": route(async () => (await import("../accounts/settings/tokens.tsx")).TokenSettings),
  "/settings/blocked": route(async () => (await import("../accounts/settings/blocked.tsx")).BlockedSettings),
  "/settings/subscriptions": route(
    async () => (await import("../billing/subscriptions.tsx")).SubscriptionSettings,
  ),
  "/settings/points": route(async () => (await import("../points/points-settings.tsx")).PointsSettings),
  "/settings/standing": route(
    async () => (await import("../accounts/settings/standing.tsx")).StandingSettings,
  ),
  "/settings/data": route(async () => (await import("../accounts/settings/data.tsx")).DataSettings),
  "/gallery": route(async () => (await import("../gallery/gallery.tsx")).Gallery),
  "/:username": route(async () => (await import("../channels/channel.tsx")).Channel),
};
