import { PreferencesForm } from "../../notifications/preferences-form.tsx";
import { PushDevices } from "../../notifications/push/push-devices.tsx";
import { SettingsPage } from "./settings-page.tsx";

/** Of what the user is told, how and when. */
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
