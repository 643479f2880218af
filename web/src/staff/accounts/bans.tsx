import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import { Panel } from "../../console/panel.tsx";
import { formatDate } from "../../formats/dates.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { casePath } from "../sections.ts";
import { useReadAfter } from "../staff-page.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

type Props = {
  account: Schemas["StaffUser"];
  /** Counts what was done to the account on this page. */
  acts: number;
  onActed: () => void;
};

/** The account's bans with who set and lifted them, and what bans and unbans it. */
export function Bans({ account, acts, onActed }: Props) {
  const { accounts } = STAFF_TEXTS;
  const path = { account_id: account.id };
  const pages = usePaged("listAccountBans", { path });
  useReadAfter(acts, pages.again);
  /** Each its own, so that a late answer closes no other. */
  const [banning, ban] = useState<object | null>(null);
  /** The ban that was shown when its end was wanted. */
  const [lifting, setLifting] = useState<string | null>(null);
  const name = nameOf(account);
  const { ban: current } = account;
  const endLift = (ban_id: string): void => setLifting((now) => (now === ban_id ? null : now));
  const lift = async (ban_id: string): Promise<void> => {
    try {
      await client.call("unbanAccount", { path, query: { ban_id } });
    } catch (err) {
      if (!(err instanceof LivecoreError && err.code === "invalid_state")) throw err;
      say(accounts.otherBan, { isProblem: true });
      // What the dialog asked about is over.
      endLift(ban_id);
      onActed();
      throw new Problem(accounts.otherBan);
    }
  };
  return (
    <Panel
      title={accounts.bans}
      aside={
        <button
          type="button"
          class={current ? "button quiet" : "button danger"}
          onClick={() => (current ? setLifting(current.id) : ban({}))}
        >
          {current ? accounts.unban : accounts.ban}
        </button>
      }
    >
      <PagedRows pages={pages} empty={accounts.noBans}>
        {(one) => <BanRow key={one.id} ban={one} />}
      </PagedRows>
      {banning && (
        <ReasonDialog
          title={accounts.banTitle(name)}
          hint={accounts.banHint}
          go={accounts.ban}
          said={accounts.banned(name)}
          act={(reason) => client.call("banAccount", { path, body: { reason } })}
          onDone={onActed}
          onClose={() => ban((now) => (now === banning ? null : now))}
        />
      )}
      {lifting !== null && (
        <RemovalDialog
          title={accounts.unbanTitle(name)}
          hint={accounts.unbanHint}
          go={accounts.unban}
          said={accounts.unbanned(name)}
          remove={() => lift(lifting)}
          onRemoved={onActed}
          onClose={() => endLift(lifting)}
        />
      )}
    </Panel>
  );
}

function BanRow({ ban }: { ban: Schemas["AccountBan"] }) {
  const { accounts } = STAFF_TEXTS;
  const { reason, by, created_at, lifted_at, lifted_by, report_id, strike_id } = ban;
  return (
    <li>
      <div class="what">
        <span dir="auto">{reason}</span>
        <span class="quiet" dir="auto">
          {accounts.byOn(by ? nameOf(by) : accounts.operator, formatDate(created_at))}
        </span>
        {lifted_at !== null && (
          <span class="quiet" dir="auto">
            {accounts.liftedBy(lifted_by ? nameOf(lifted_by) : accounts.operator, formatDate(lifted_at))}
          </span>
        )}
        {strike_id !== null && <span class="quiet">{accounts.byStrikes}</span>}
        {report_id !== null && <a href={to(casePath(report_id))}>{accounts.fromCase}</a>}
      </div>
      <span class="state" data-state={lifted_at === null ? "banned" : "lifted"}>
        {lifted_at === null ? accounts.inForce : accounts.lifted}
      </span>
    </li>
  );
}
