import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import type { Schemas } from "../../site/page-data.ts";
import { More, usePaged } from "../../site/paged.tsx";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { Choice, optionsOf } from "../choice.tsx";
import { QueueFigures } from "../queue-figures.tsx";
import { useQueueKeys } from "../queue-keys.ts";
import { type OfStaff, StaffPage, useReadOnReturn } from "../staff-page.tsx";
import { AppealDialog, wordsOf } from "./appeal-dialog.tsx";
import { AppealRow } from "./appeal-row.tsx";

type Appeal = Schemas["StaffAppeal"];

/** The queue of appeals. */
export const StaffAppeals = () => <StaffPage section="appeals">{(of) => <Queue {...of} />}</StaffPage>;

function Queue({ user, queues }: OfStaff) {
  const { frame, appeals } = STAFF_TEXTS;
  const [status, setStatus] = useState<"" | "granted" | "denied">("");
  const pages = usePaged("listAppeals", { query: status === "" ? {} : { status } });
  const [asked, ask] = useState<{ one: Appeal; decision: "grant" | "deny" } | null>(null);
  const { run } = useOneAtATime();
  const again = (): void => {
    pages.again();
    queues.again();
  };
  useReadOnReturn(pages.again);
  const decide = (one: Appeal, decision: "grant" | "deny"): void => {
    if (one.decided_at === null) ask({ one, decision });
  };
  const change = async ({ id }: Appeal, action: "claim" | "release"): Promise<void> => {
    try {
      await client.call("handleAppeal", { path: { appeal_id: id }, body: { action } });
    } catch (err) {
      say(problemOf((err instanceof LivecoreError && wordsOf(err)?.problem) || err), { isProblem: true });
    }
    again();
  };
  const keys = useQueueKeys(
    pages.items,
    {
      c: (one) => void run(() => change(one, "claim")),
      a: (one) => decide(one, "grant"),
      d: (one) => decide(one, "deny"),
      r: again,
    },
    asked !== null,
  );
  return (
    <>
      <QueueFigures queue={queues.data?.appeals} />
      <div class="filters">
        <Choice
          label={appeals.status}
          value={status}
          options={optionsOf(appeals.statuses)}
          onValue={setStatus}
        />
        <button type="button" class="button quiet" onClick={again}>
          {frame.refresh}
        </button>
      </div>
      <Loaded read={pages.first}>
        {() =>
          pages.items.length === 0 ? (
            <p class="quiet">{appeals.empty}</p>
          ) : (
            <>
              <p class="quiet keys">{appeals.keys}</p>
              <ul ref={keys.list} class="queue" aria-label={appeals.list} onKeyDown={keys.onKeyDown}>
                {pages.items.map((one) => (
                  <AppealRow
                    key={one.id}
                    one={one}
                    userId={user.id}
                    isCurrent={one === keys.current}
                    onFocus={() => keys.setCurrent(one.id)}
                    onClaim={(action) => void run(() => change(one, action))}
                    onDecide={(decision) => decide(one, decision)}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      <More pages={pages} />
      {asked && (
        <AppealDialog
          key={asked.one.id}
          {...asked}
          userId={user.id}
          onDone={() => {
            keys.leave(asked.one.id);
            again();
          }}
          onStale={again}
          onClose={() => ask((now) => (now === asked ? null : now))}
        />
      )}
    </>
  );
}
