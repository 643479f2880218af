import { useEffect, useRef, useState } from "preact/hooks";
import { laterDialog } from "../../components/later.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Missing } from "../../components/missing.tsx";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { to } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { type Read, useRead } from "../../site/read.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { nameOrGone } from "../account-link.tsx";
import { sectionPath } from "../sections.ts";
import { type OfStaff, StaffPage, useReadOnReturn } from "../staff-page.tsx";
import type { DecisionProps } from "./act-dialog.tsx";
import { CaseHistory } from "./case-history.tsx";
import { CaseReports } from "./case-reports.tsx";
import { CaseState } from "./case-state.tsx";
import { ChatPanel } from "./chat-panel.tsx";
import { type Case, HandledBefore, handle, isUndecided } from "./handle.ts";
import { SubjectPanel } from "./subject-panel.tsx";
import { TargetPanel } from "./target-panel.tsx";

const ActDialog = laterDialog<DecisionProps>(async () => (await import("./act-dialog.tsx")).ActDialog);
const DismissDialog = laterDialog<DecisionProps>(
  async () => (await import("./act-dialog.tsx")).DismissDialog,
);

/** Everything about one reported target. */
export function StaffCase({ report_id: id }: { report_id: string }) {
  const { reports } = STAFF_TEXTS;
  const [known, setKnown] = useState<{ id: string; title: string } | null>(null);
  // Of another one, until this one is there.
  const title = known?.id === id ? known.title : undefined;
  return (
    <StaffPage key={id} section="reports" {...(title !== undefined && { title })}>
      {(of) => (
        <>
          <a class="back" href={to(sectionPath("reports"))}>
            {reports.back}
          </a>
          <OfId id={id} onTitle={(name) => setKnown({ id, title: name })} {...of} />
        </>
      )}
    </StaffPage>
  );
}

function OfId({ id, onTitle, ...of }: OfStaff & { id: string; onTitle: (title: string) => void }) {
  const { reports } = STAFF_TEXTS;
  const read = useRead("getReport", { path: { report_id: id } });
  useReadOnReturn(read.again);
  const title = read.data && reports.caseOf[read.data.target_type](nameOrGone(read.data.subject));
  useEffect(() => {
    if (title !== undefined) onTitle(title);
  }, [title]);
  return (
    <Loaded read={read} missing={<Missing title={reports.missing} hint={reports.missingHint} />}>
      {(one) => <Shown one={one} read={read} {...of} />}
    </Loaded>
  );
}

function Shown({ one, read, user, queues }: OfStaff & { one: Case; read: Read<Case> }) {
  const { reports } = STAFF_TEXTS;
  const [deciding, decide] = useState<"act" | "dismiss" | null>(null);
  const { run } = useOneAtATime();
  const again = (): void => {
    read.again();
    queues.again();
  };
  const change = async (action: "claim" | "release"): Promise<void> => {
    try {
      await handle(one.id, user.id, { action });
      again();
    } catch (err) {
      say(problemOf(err), { isProblem: true });
      if (err instanceof HandledBefore) again();
    }
  };
  useKeys(isUndecided(one) && deciding === null, {
    c: () => void run(() => change("claim")),
    a: () => decide("act"),
    d: () => decide("dismiss"),
  });
  const dialog = {
    one,
    userId: user.id,
    onDone: again,
    onStale: again,
    onClose: () => decide(null),
  };
  // What is read beside the case is read again with its state: a decision changes both.
  const key = `${one.status} ${one.report_count}`;
  return (
    <>
      <CaseState
        one={one}
        userId={user.id}
        onClaim={() => void run(() => change("claim"))}
        onRelease={() => void run(() => change("release"))}
        onDecide={decide}
      />
      <div class="panels" key={key}>
        <TargetPanel one={one} />
        <CaseReports one={one} />
        {one.subject && <SubjectPanel subject={one.subject} caseId={one.id} />}
        {one.target_type === "chat_message" && one.subject && one.stream_id !== null && (
          <ChatPanel streamId={one.stream_id} userId={one.subject.id} messageId={one.target_id} />
        )}
        <CaseHistory one={one} user={user} />
      </div>
      {isUndecided(one) && <p class="quiet keys">{reports.caseKeys}</p>}
      {deciding === "act" && <ActDialog {...dialog} />}
      {deciding === "dismiss" && <DismissDialog {...dialog} />}
    </>
  );
}

/** Keys of the whole page, unless something is being written. */
function useKeys(isOn: boolean, acts: Readonly<Record<string, () => void>>): void {
  const newest = useRef(acts);
  newest.current = acts;
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
      const act = newest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOn]);
}
