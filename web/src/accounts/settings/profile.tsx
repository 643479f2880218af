import { SettingsPage } from "../../components/settings-page.tsx";
import { TEXTS } from "../../texts/texts.ts";
import { Picture } from "./profile/picture.tsx";
import { ProfileForm } from "./profile/profile-form.tsx";
import { SeoForm } from "./profile/seo-form.tsx";

/** What everybody sees of the account. */
export function ProfileSettings() {
  const { profile } = TEXTS.settings;
  return (
    <SettingsPage section="profile">
      {(user) => (
        <>
          <section class="box pictures" aria-label={profile.pictures}>
            <Picture kind="avatar" user={user} />
            <Picture kind="banner" user={user} />
          </section>
          <ProfileForm key={user.id} user={user} />
          <SeoForm user={user} />
        </>
      )}
    </SettingsPage>
  );
}
