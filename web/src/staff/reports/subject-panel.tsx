import { Avatar } from "../../components/avatar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../console/panel.tsx";
import { formatDate } from "../../formats/dates.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { More, usePaged } from "../../site/paged.tsx";
import { useRead } from "../../site/read.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { TEXTS } from "../../texts/texts.ts";
import { AccountLink } from "../account-link.tsx";
import { Moment } from "../age.tsx";
import { casePath } from "../sections.ts";
import { Outcome } from "./case-state.tsx";

type Props = { subject: Schemas["UserSummary"]; caseId: string };

/** What is known of whoever is responsible for the target: ban, strikes, and the other cases about them. */
export function SubjectPanel({ subject, caseId }: Props) {
  const { reports } = STAFF_TEXTS;
  const path = { account_id: subject.id };
  const account = useRead("getUser", { path });
  return (
    <Panel
      title={reports.subject}
      aside={
        <span class="person">
          <Avatar user={subject} />
          <AccountLink user={subject} />
        </span>
      }
    >
      <Loaded read={account} missing={<p class="quiet">{reports.subjectGone}</p>}>
        {({ ban, live_strikes, created_at }) => (
          <ul class="figures">
            <li>
              <b>{ban ? reports.isBanned : reports.notBanned}</b>
            </li>
            <li>{reports.strikes(live_strikes)}</li>
            <li>{reports.joined(formatDate(created_at))}</li>
          </ul>
        )}
      </Loaded>
      <h3>{reports.earlier}</h3>
      <CasesAbout accountId={subject.id} except={caseId} />
    </Panel>
  );
}

/** The cases about an account, newest first, each with what came of it. */
export function CasesAbout({ accountId, except }: { accountId: string; except?: string }) {
  const { reports } = STAFF_TEXTS;
  const pages = usePaged("listUserReports", { path: { account_id: accountId } });
  const others = pages.items.filter(({ id }) => id !== except);
  return (
    <>
      <Loaded read={pages.first} missing={<p class="quiet">{reports.subjectGone}</p>}>
        {() =>
          others.length === 0 && !pages.hasMore ? (
            <p class="quiet">{reports.noEarlier}</p>
          ) : (
            <ul class="rows">
              {others.map((one) => (
                <li key={one.id}>
                  <div class="what">
                    <span>
                      <a href={to(casePath(one.id))}>
                        {`${reports.targets[one.target_type]} · ${TEXTS.report.reasons[one.reason_code]}`}
                      </a>{" "}
                      <span class="quiet">
                        <Moment of={one.created_at} isDay />
                      </span>
                    </span>
                    <Outcome one={one} />
                  </div>
                  <span class="state" data-state={one.status}>
                    {reports.states[one.status]}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={pages} />
    </>
  );
}
