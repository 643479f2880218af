import { Devices } from "./security/devices.tsx";
import { Passkeys } from "./security/passkeys.tsx";
import { TwoFactor } from "./security/two-factor.tsx";
import { SettingsPage } from "./settings-page.tsx";

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
