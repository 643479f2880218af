import { SettingsPage } from "../components/settings-page.tsx";
import { PreferencesForm } from "./preferences-form.tsx";
import { PushDevices } from "./push/push-devices.tsx";

/** Of what the user is notified, how and when. */
export const NotificationSettings = () => (
  <SettingsPage section="notifications">
    {(user) => (
      <>
        <PushDevices user={user} />
        <PreferencesForm user={user} />
      </>
    )}
  </SettingsPage>
);
