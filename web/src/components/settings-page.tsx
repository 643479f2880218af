import { ChevronLeft } from "lucide";
import type { ComponentChildren } from "preact";
import { useTitle } from "../site/navigation.ts";
import { to } from "../site/page-data.ts";
import { type Me, me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";
import { LeaveDialog } from "./leave-dialog.tsx";
import { SignInFirst } from "./sign-in-first.tsx";
import "./settings.css";

const SECTIONS = [
  "profile",
  "account",
  "security",
  "notifications",
  "connections",
  "tokens",
  "blocked",
  "subscriptions",
  "points",
  "standing",
  "data",
] as const;
type Section = (typeof SECTIONS)[number];

type Props = {
  /** Null: the list of all sections, which stands beside each of them where there is room. */
  section: Section | null;
  children?: (user: Me) => ComponentChildren;
};

/** One section of the settings beside the list of all. */
export function SettingsPage({ section, children }: Props) {
  const { settings } = TEXTS;
  const title = section === null ? settings.title : (settings.sections[section][0] ?? "");
  useTitle(section === null ? title : `${title} · ${settings.title}`);
  const user = me.value;
  return (
    <div class="page">
      <SignInFirst title={title} why={settings.signIn}>
        {section === null && <h1>{title}</h1>}
        <div class="settings" data-section={section ?? ""}>
          <nav aria-label={settings.title}>
            <ul>
              {SECTIONS.map((one) => (
                <li key={one}>
                  <a href={to(`/settings/${one}`)} aria-current={one === section ? "page" : undefined}>
                    <b>{settings.sections[one][0]}</b>
                    <span class="quiet">{settings.sections[one][1]}</span>
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {section !== null && user && (
            <div class="section">
              <a class="back" href={to("/settings")}>
                <Icon of={ChevronLeft} />
                {settings.back}
              </a>
              <h1>{title}</h1>
              {children?.(user)}
            </div>
          )}
        </div>
        <LeaveDialog />
      </SignInFirst>
    </div>
  );
}
