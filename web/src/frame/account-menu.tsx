import { useLocation } from "preact-iso/router";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { Menu } from "../components/menu.tsx";
import { to } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { type Me, signOut } from "../site/session.ts";
import { chooseTheme, chosenTheme, THEMES } from "../site/theme.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";

/** What belongs to the account, and the look of the site. */
export function AccountMenu({ user }: { user: Me }) {
  const { frame } = TEXTS;
  const { route } = useLocation();
  const leave = async (): Promise<void> => {
    try {
      await signOut();
      route(to("/"));
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  return (
    <Menu label={frame.account} button={<Avatar user={user} />}>
      <p class="who">
        <Avatar user={user} />
        <bdi>{nameOf(user)}</bdi>
      </p>
      <ul>
        <li>
          <a href={to(user.username)}>{frame.channel}</a>
        </li>
        <li>
          <a href={to("/console")}>{TEXTS.console.title}</a>
        </li>
        {user.is_staff && (
          <li>
            <a href={to("/staff")}>{TEXTS.staff.title}</a>
          </li>
        )}
        <li>
          <a href={to("/following")}>{frame.following}</a>
        </li>
        <li>
          <a href={to("/whispers")}>{TEXTS.whispers.title}</a>
        </li>
        <li>
          <a href={to("/notifications")}>{frame.notifications}</a>
        </li>
        <li>
          <a href={to("/settings")}>{TEXTS.settings.title}</a>
        </li>
      </ul>
      <fieldset class="themes">
        <legend>{frame.theme}</legend>
        {THEMES.map((theme) => (
          <label key={theme}>
            <input
              type="radio"
              name="theme"
              checked={chosenTheme.value === theme}
              onChange={() => chooseTheme(theme)}
            />
            {frame.themes[theme]}
          </label>
        ))}
      </fieldset>
      <button type="button" class="button quiet wide" onClick={() => void leave()}>
        {frame.signOut}
      </button>
    </Menu>
  );
}
