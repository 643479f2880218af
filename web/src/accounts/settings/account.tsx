import { SettingsPage } from "../../components/settings-page.tsx";
import { EmailForm } from "./account/email-form.tsx";
import { PasswordForm } from "./account/password-form.tsx";
import { UsernameForm } from "./account/username-form.tsx";

/** What one signs in with. */
export function AccountSettings() {
  return (
    <SettingsPage section="account">
      {(user) => (
        <>
          <UsernameForm key={user.username} user={user} />
          <EmailForm key={user.email} user={user} />
          <PasswordForm user={user} />
        </>
      )}
    </SettingsPage>
  );
}
