import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { laterDialog } from "../../components/later.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { to } from "../../site/page-data.ts";
import { More, usePaged } from "../../site/paged.tsx";
import { problemOf } from "../../site/problems.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Choice, optionsOf } from "../choice.tsx";
import { QueueFigures } from "../queue-figures.tsx";
import { useQueueKeys } from "../queue-keys.ts";
import { casePath } from "../sections.ts";
import { type OfStaff, StaffPage, useReadOnReturn } from "../staff-page.tsx";
import type { DecisionProps } from "./act-dialog.tsx";
import { CaseRow } from "./case-row.tsx";
import { type Case, HandledBefore, handle, isUndecided } from "./handle.ts";

const ActDialog = laterDialog<DecisionProps>(async () => (await import("./act-dialog.tsx")).ActDialog);
const DismissDialog = laterDialog<DecisionProps>(
  async () => (await import("./act-dialog.tsx")).DismissDialog,
);

/** The queue of reported targets. */
export const StaffReports = () => <StaffPage section="reports">{(of) => <Queue {...of} />}</StaffPage>;

type Filter = {
  status: "" | Case["status"];
  target_type: "" | Case["target_type"];
  reason_code: "" | Case["reason_code"];
  sort: "urgent" | "oldest";
};

function Queue({ user, queues }: OfStaff) {
  const { frame, reports } = STAFF_TEXTS;
  const { filters } = reports;
  const { route } = useLocation();
  const [filter, setFilter] = useState<Filter>({
    status: "",
    target_type: "",
    reason_code: "",
    sort: "oldest",
  });
  const { status, target_type, reason_code, sort } = filter;
  const pages = usePaged("listReports", {
    query: {
      sort,
      ...(status !== "" && { status }),
      ...(target_type !== "" && { target_type }),
      ...(reason_code !== "" && { reason_code }),
    },
  });
  const [asked, ask] = useState<{ one: Case; act: "act" | "dismiss" } | null>(null);
  const { run } = useOneAtATime();
  const again = (): void => {
    pages.again();
    queues.again();
  };
  useReadOnReturn(pages.again);
  const decideOn = (one: Case, act: "act" | "dismiss"): void => {
    if (isUndecided(one)) ask({ one, act });
  };
  const claim = async (one: Case): Promise<void> => {
    try {
      await handle(one.id, user.id, { action: "claim" });
      again();
    } catch (err) {
      say(problemOf(err), { isProblem: true });
      if (err instanceof HandledBefore) again();
    }
  };
  const keys = useQueueKeys(
    pages.items,
    {
      Enter: ({ id }) => route(to(casePath(id))),
      o: ({ id }) => route(to(casePath(id))),
      c: (one) => void run(() => claim(one)),
      a: (one) => decideOn(one, "act"),
      d: (one) => decideOn(one, "dismiss"),
      r: again,
    },
    asked !== null,
  );
  const dialog = asked && {
    one: asked.one,
    userId: user.id,
    onDone: () => {
      keys.leave(asked.one.id);
      again();
    },
    onStale: again,
    onClose: () => ask((now) => (now === asked ? null : now)),
  };
  return (
    <>
      <QueueFigures queue={queues.data?.reports} />
      <div class="filters">
        <Choice
          label={filters.status}
          value={status}
          options={[["", reports.undecided], ...optionsOf(reports.states)]}
          onValue={(value) => setFilter({ ...filter, status: value })}
        />
        <Choice
          label={filters.target}
          value={target_type}
          options={[["", frame.any], ...optionsOf(reports.targets)]}
          onValue={(value) => setFilter({ ...filter, target_type: value })}
        />
        <Choice
          label={filters.reason}
          value={reason_code}
          options={[["", frame.any], ...optionsOf(TEXTS.report.reasons)]}
          onValue={(value) => setFilter({ ...filter, reason_code: value })}
        />
        <Choice
          label={filters.sort}
          value={sort}
          options={optionsOf(filters.sorts)}
          onValue={(value) => setFilter({ ...filter, sort: value })}
        />
        <button type="button" class="button quiet" onClick={again}>
          {frame.refresh}
        </button>
      </div>
      <Loaded read={pages.first}>
        {() =>
          pages.items.length === 0 ? (
            <p class="quiet">{reports.empty}</p>
          ) : (
            <>
              <p class="quiet keys">{reports.keys}</p>
              <ul ref={keys.list} class="queue" aria-label={reports.list} onKeyDown={keys.onKeyDown}>
                {pages.items.map((one) => (
                  <CaseRow
                    key={one.id}
                    one={one}
                    userId={user.id}
                    isCurrent={one === keys.current}
                    onFocus={() => keys.setCurrent(one.id)}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      <More pages={pages} />
      {dialog && asked.act === "act" && <ActDialog key={asked.one.id} {...dialog} />}
      {dialog && asked.act === "dismiss" && <DismissDialog key={asked.one.id} {...dialog} />}
    </>
  );
}
