import { SettingsPage } from "../../components/settings-page.tsx";
import { Devices } from "./security/devices.tsx";
import { Passkeys } from "./security/passkeys.tsx";
import { TwoFactor } from "./security/two-factor.tsx";

/** What keeps others out of the account. */
export function SecuritySettings() {
  return (
    <SettingsPage section="security">
      {(user) => (
        <>
          <TwoFactor user={user} />
          <Passkeys />
          <Devices />
        </>
      )}
    </SettingsPage>
  );
}
