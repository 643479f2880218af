import type { ItemOf } from "@livecore/client";
import { Loaded } from "../../components/loaded.tsx";
import { formatMoment } from "../../formats/dates.ts";
import { useNewestFirst } from "../../site/newest-first.ts";
import { to } from "../../site/page-data.ts";
import { More } from "../../site/paged.tsx";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { AccountLink } from "../account-link.tsx";
import { casePath } from "../sections.ts";
import { useReadAfter } from "../staff-page.tsx";

type Entry = ItemOf<"listStaffLog">;
export type LogFilter = { staff_id?: string; about?: string; event?: Entry["event"] };

/** Ids that a row shows; a page of a list has many more. */
const MOST_IDS = 3;

type Props = {
  filter: LogFilter;
  /** Counts the reader's acts on the same page, after each of which there are other rows. */
  acts?: number;
};

/** Rows of the audit log, newest first. */
export function LogRows({ filter, acts = 0 }: Props) {
  const { audit } = STAFF_TEXTS;
  const pages = useNewestFirst("listStaffLog", { query: filter }, ({ id }) => id);
  useReadAfter(acts, pages.first.again);
  return (
    <>
      <Loaded read={pages.first}>
        {() =>
          pages.items.length === 0 ? (
            <p class="quiet">{audit.none}</p>
          ) : (
            <ul class="rows log" aria-label={audit.list}>
              {pages.items.map((entry) => (
                <Row key={entry.id} entry={entry} about={filter.about} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </>
  );
}

/** `about`: what all rows are about, which isn't said again. */
function Row({ entry, about }: { entry: Entry; about: string | undefined }) {
  const { audit, reports } = STAFF_TEXTS;
  const { staff, event, operation, action, measures, account, ids, created_at } = entry;
  const others = ids.filter((id) => id !== account?.id && id !== about);
  const isOfCase = event === "report.handled" || operation === "getReport";
  return (
    <li>
      <time class="quiet" dateTime={created_at}>
        {formatMoment(created_at)}
      </time>
      <div class="what">
        <span>
          <AccountLink user={staff} /> · <b>{audit.events[event]}</b> <What operation={operation} />
          {action !== null && <span>({audit.actions[action] ?? action})</span>}{" "}
          {measures.map((type) => reports.measureNames[type]).join(", ")}
        </span>
        {account && account.id !== about && (
          <span>
            {audit.about}: <AccountLink user={account} />
          </span>
        )}
        {others.length > 0 && (
          <span class="quiet ids">
            {others.slice(0, MOST_IDS).map((id) =>
              isOfCase ? (
                <a key={id} href={to(casePath(id))}>
                  <code>{id}</code>
                </a>
              ) : (
                <code key={id}>{id}</code>
              ),
            )}
            {others.length > MOST_IDS && audit.more(others.length - MOST_IDS)}
          </span>
        )}
      </div>
    </li>
  );
}

/** What was read or done, in words where there are some. */
function What({ operation }: { operation: string | null }) {
  const { reads } = STAFF_TEXTS.audit;
  if (operation === null) return null;
  const words = reads[operation];
  return words === undefined ? <code>{operation}</code> : <span>{words}</span>;
}
