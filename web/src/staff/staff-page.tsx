import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { LeaveDialog } from "../components/leave-dialog.tsx";
import { NotFound } from "../components/not-found.tsx";
import { useTitle } from "../site/navigation.ts";
import { type Schemas, to } from "../site/page-data.ts";
import { type Read, useRead } from "../site/read.ts";
import { type Me, me } from "../site/session.ts";
import { STAFF_TEXTS } from "../texts/staff-texts.ts";
import { TEXTS } from "../texts/texts.ts";
import { ICONS, SECTIONS, type Section, sectionPath } from "./sections.ts";
import "../console/console.css";
import "./staff.css";

const FORBIDDEN = 403;

/** `queues`: how much waits, which an act reads again. */
export type OfStaff = { user: Me; queues: Read<Schemas["StaffQueues"]> };
type Props = {
  section: Section;
  /** Of a page below the section's own. */
  title?: string;
  children: (of: OfStaff) => ComponentChildren;
};

/** A page for staff, beside the list of all of them. For everybody else there is nothing at this address. */
export function StaffPage(props: Props) {
  const user = me.value;
  if (user === undefined) return <p class="note">{TEXTS.loading}</p>;
  if (!user?.is_staff) return <NotFound />;
  if (!user.two_factor_enabled) {
    const { twoFactorTitle, twoFactorHint, twoFactorGo } = STAFF_TEXTS.frame;
    return (
      <div class="empty">
        <h1>{twoFactorTitle}</h1>
        <p>{twoFactorHint}</p>
        <a class="button" href={to("/settings/security")}>
          {twoFactorGo}
        </a>
      </div>
    );
  }
  return <OfSection user={user} {...props} />;
}

function OfSection({ user, section, title, children }: Props & { user: Me }) {
  const { staff } = TEXTS;
  const name = title ?? staff.sections[section];
  useTitle(`${name} · ${staff.title}`);
  const queues = useRead("getStaffQueues", {});
  useReadOnReturn(queues.again);
  if (queues.status === FORBIDDEN && queues.data === undefined) return <WithoutFactor />;
  return (
    <div class="page console staff">
      <Sections section={section} queues={queues.data} />
      <div class="section">
        <h1 dir="auto">{name}</h1>
        {children({ user, queues })}
      </div>
      <LeaveDialog />
    </div>
  );
}

function Sections({ section, queues }: { section: Section; queues: Schemas["StaffQueues"] | undefined }) {
  const { staff } = TEXTS;
  const list = useRef<HTMLElement>(null);
  // Where the list is one row, wider than the window.
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, []);
  const waiting: Partial<Record<Section, number>> = queues
    ? {
        reports: queues.reports.waiting,
        appeals: queues.appeals.waiting,
        support: queues.support.waiting,
      }
    : {};
  return (
    <nav ref={list} aria-label={staff.title}>
      <ul>
        {SECTIONS.map((one) => (
          <li key={one}>
            <a href={to(sectionPath(one))} aria-current={one === section ? "page" : undefined}>
              <Icon of={ICONS[one]} />
              <span class="name">{staff.sections[one]}</span>
              {Boolean(waiting[one]) && (
                <span class="count" title={STAFF_TEXTS.frame.waiting(waiting[one] ?? 0)}>
                  {waiting[one]}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function WithoutFactor() {
  const { againTitle, againHint } = STAFF_TEXTS.frame;
  return (
    <div class="empty">
      <h1>{againTitle}</h1>
      <p>{againHint}</p>
    </div>
  );
}

/** Reads again after each of the reader's acts, which `acts` counts. */
export function useReadAfter(acts: number, read: () => void): void {
  useEffect(() => {
    if (acts > 0) read();
  }, [acts]);
}

/** Reads again when the reader comes back to the page: others work on the same queues. */
export function useReadOnReturn(read: () => void): void {
  const newest = useRef(read);
  newest.current = read;
  useEffect(() => {
    const onChange = (): void => {
      if (document.visibilityState === "visible") newest.current();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
}
