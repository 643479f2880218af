import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { SettingsPage } from "../../components/settings-page.tsx";
import { to } from "../../site/page-data.ts";

/** As in settings.css: from here on the list stands beside a section. */
const WIDE = "(min-width: 56.01rem)";

/** The list of all sections; where there is room beside it, the first one. */
export function Settings() {
  const { route } = useLocation();
  useEffect(() => {
    if (matchMedia(WIDE).matches) route(to("/settings/profile"), true);
  }, []);
  return <SettingsPage section={null} />;
}
