import { useEffect, useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Missing } from "../../components/missing.tsx";
import { Panel } from "../../console/panel.tsx";
import { type Schemas, to } from "../../site/page-data.ts";
import { type Read, useRead } from "../../site/read.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { LogRows } from "../audit/log-rows.tsx";
import { CasesAbout } from "../reports/subject-panel.tsx";
import { sectionPath } from "../sections.ts";
import { StaffPage, useReadOnReturn } from "../staff-page.tsx";
import { AccountFacts } from "./account-facts.tsx";
import { Bans } from "./bans.tsx";
import { Strikes } from "./strikes.tsx";

/** One account: what staff may know of it, what was done to it by whom and why, and what can be done. */
export function StaffAccount({ account_id: id }: { account_id: string }) {
  const { accounts } = STAFF_TEXTS;
  const [known, setKnown] = useState<{ id: string; title: string } | null>(null);
  // Of another one, until this one is there.
  const title = known?.id === id ? known.title : undefined;
  return (
    <StaffPage key={id} section="accounts" {...(title !== undefined && { title })}>
      {() => (
        <>
          <a class="back" href={to(sectionPath("accounts"))}>
            {accounts.back}
          </a>
          <OfId id={id} onTitle={(name) => setKnown({ id, title: name })} />
        </>
      )}
    </StaffPage>
  );
}

function OfId({ id, onTitle }: { id: string; onTitle: (title: string) => void }) {
  const { accounts } = STAFF_TEXTS;
  const read = useRead("getUser", { path: { account_id: id } });
  useReadOnReturn(read.again);
  const title = read.data && nameOf(read.data);
  useEffect(() => {
    if (title !== undefined) onTitle(title);
  }, [title]);
  return (
    <Loaded read={read} missing={<Missing title={accounts.missing} hint={accounts.missingHint} />}>
      {(account) => <Shown account={account} read={read} />}
    </Loaded>
  );
}

function Shown({ account, read }: { account: Schemas["StaffUser"]; read: Read<Schemas["StaffUser"]> }) {
  const { accounts } = STAFF_TEXTS;
  // A strike may ban, and its end may lift the ban: each is read again with the other.
  const [acts, setActs] = useState(0);
  const acted = (): void => {
    setActs((before) => before + 1);
    read.again();
  };
  return (
    <div class="panels">
      <AccountFacts account={account} onChanged={(changed) => read.change(() => changed)} />
      <Bans account={account} acts={acts} onActed={acted} />
      <Strikes account={account} acts={acts} onActed={acted} />
      <Panel title={accounts.cases}>
        <CasesAbout accountId={account.id} />
      </Panel>
      <Panel title={STAFF_TEXTS.audit.done} kind="whole">
        <LogRows filter={{ about: account.id }} acts={acts} />
      </Panel>
    </div>
  );
}
