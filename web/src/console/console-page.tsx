import { ShieldCheck } from "lucide";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { deskPath } from "../channels/desk-path.ts";
import { Icon } from "../components/icon.tsx";
import { LeaveDialog } from "../components/leave-dialog.tsx";
import { SignInFirst } from "../components/sign-in-first.tsx";
import { useTitle } from "../site/navigation.ts";
import { to } from "../site/page-data.ts";
import { type Me, me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { ICONS, SECTIONS, type Section, sectionPath } from "./sections.ts";
import "./console.css";
import { CONSOLE_TEXTS } from "../texts/console-texts.ts";

type Props = { section: Section; children: (user: Me) => ComponentChildren };

/** A page of one's own channel, beside the list of all of them. */
export function ConsolePage({ section, children }: Props) {
  const { console: texts } = TEXTS;
  const title = texts.sections[section];
  useTitle(section === "stream" ? texts.title : `${title} · ${texts.title}`);
  const user = me.value;
  const list = useRef<HTMLElement>(null);
  // Where the list is one row, wider than the window.
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [user]);
  return (
    <div class="page console">
      <SignInFirst title={texts.title} why={texts.signIn}>
        <nav ref={list} aria-label={texts.title}>
          <ul>
            {SECTIONS.map((one) => (
              <li key={one}>
                <a href={to(sectionPath(one))} aria-current={one === section ? "page" : undefined}>
                  <Icon of={ICONS[one]} />
                  {texts.sections[one]}
                </a>
              </li>
            ))}
            {user && (
              <li>
                <a href={to(deskPath(user.username))}>
                  <Icon of={ShieldCheck} />
                  {CONSOLE_TEXTS.moderation.ofOwn}
                </a>
              </li>
            )}
          </ul>
        </nav>
        {user && (
          <div class="section">
            <h1>{title}</h1>
            {children(user)}
          </div>
        )}
        <LeaveDialog />
      </SignInFirst>
    </div>
  );
}
