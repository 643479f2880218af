import { SettingsPage } from "../components/settings-page.tsx";
import { OwnSubscriptions } from "./own-subscriptions.tsx";
import { SentTips } from "./sent-tips.tsx";
import "./billing.css";

/** What the reader pays for, or was given. */
export const SubscriptionSettings = () => (
  <SettingsPage section="subscriptions">
    {() => (
      <>
        <OwnSubscriptions />
        <SentTips />
      </>
    )}
  </SettingsPage>
);
