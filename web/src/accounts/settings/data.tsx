import { SettingsPage } from "../../components/settings-page.tsx";
import { DeleteAccount } from "./data/delete-account.tsx";
import { Export } from "./data/export.tsx";

/** What the service keeps of the user: a copy of it, and its end. */
export function DataSettings() {
  return (
    <SettingsPage section="data">
      {() => (
        <>
          <Export />
          <DeleteAccount />
        </>
      )}
    </SettingsPage>
  );
}
