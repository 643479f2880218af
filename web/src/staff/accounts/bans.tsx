import { useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import { Panel } from "../../console/panel.tsx";
import { formatDate } from "../../formats/dates.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { casePath } from "../sections.ts";
import { ReasonDialog } from "./reason-dialog.tsx";

type Props = { account: Schemas["StaffUser"]; onActed: () => void };

/** The account's bans with who set and lifted them, and what bans and unbans it. */
export function Bans({ account, onActed }: Props) {
  const { accounts } = STAFF_TEXTS;
  const path = { account_id: account.id };
  const pages = usePaged("listAccountBans", { path });
  const [open, setOpen] = useState<"ban" | "unban" | null>(null);
  const name = nameOf(account);
  const isBanned = account.ban !== null;
  return (
    <Panel
      title={accounts.bans}
      aside={
        <button
          type="button"
          class={isBanned ? "button quiet" : "button danger"}
          onClick={() => setOpen(isBanned ? "unban" : "ban")}
        >
          {isBanned ? accounts.unban : accounts.ban}
        </button>
      }
    >
      <PagedRows pages={pages} empty={accounts.noBans}>
        {(ban) => <BanRow key={ban.id} ban={ban} />}
      </PagedRows>
      {open === "ban" && (
        <ReasonDialog
          title={accounts.banTitle(name)}
          hint={accounts.banHint}
          go={accounts.ban}
          said={accounts.banned(name)}
          act={(reason) => client.call("banAccount", { path, body: { reason } })}
          onDone={onActed}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "unban" && (
        <RemovalDialog
          title={accounts.unbanTitle(name)}
          hint={accounts.unbanHint}
          go={accounts.unban}
          said={accounts.unbanned(name)}
          remove={() => client.call("unbanAccount", { path })}
          onRemoved={onActed}
          onClose={() => setOpen(null)}
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
