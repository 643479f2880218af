import { Compass } from "lucide";
import { Icon } from "../components/icon.tsx";
import { site, to } from "../site/page-data.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { WhispersLink } from "../whispers/whispers-link.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { NotificationsLink } from "./notifications-link.tsx";
import { SearchBox } from "./search-box.tsx";

/** Home, browsing, search, and what belongs to the reader. */
export function TopBar() {
  const { frame } = TEXTS;
  const user = me.value;
  return (
    <header class="top-bar">
      <a class="logo" href={to("/")} aria-label={frame.home(site.name)}>
        {site.logo === null ? site.name : <img src={site.logo} alt="" />}
      </a>
      <nav aria-label={frame.browse}>
        <a class="browse" href={to("/categories")}>
          <Icon of={Compass} />
          <span>{frame.browse}</span>
        </a>
      </nav>
      <SearchBox />
      <div class="own">
        {user && <WhispersLink />}
        {user && <NotificationsLink />}
        {user && <AccountMenu user={user} />}
        {user === null && (
          <>
            <a class="button quiet" href={to("/sign-in")}>
              {frame.signIn}
            </a>
            <a class="button" href={to("/sign-up")}>
              {frame.signUp}
            </a>
          </>
        )}
      </div>
    </header>
  );
}
