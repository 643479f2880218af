import { LivecoreError } from "@livecore/client";
import { useRef, useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import { Panel } from "../../console/panel.tsx";
import { formatDate } from "../../formats/dates.ts";
import { AttemptKey } from "../../site/attempt-key.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { serverNow } from "../../site/service-clock.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { nameOrGone } from "../account-link.tsx";
import { casePath } from "../sections.ts";
import { useReadAfter } from "../staff-page.tsx";
import { DoneBefore, ReasonDialog, wordsOf } from "./reason-dialog.tsx";

type Strike = Schemas["Strike"];
type Props = {
  account: Schemas["StaffUser"];
  /** Counts what was done to the account on this page. */
  acts: number;
  onActed: () => void;
};

/** The account's strikes with who gave and revoked them, and what gives one. */
export function Strikes({ account, acts, onActed }: Props) {
  const { accounts } = STAFF_TEXTS;
  const path = { account_id: account.id };
  const pages = usePaged("listStrikes", { path });
  useReadAfter(acts, pages.again);
  /** Each its own, so that a late answer closes no other. */
  const [giving, setGiving] = useState<object | null>(null);
  const [revoking, setRevoking] = useState<Strike | null>(null);
  const key = useRef(new AttemptKey());
  const name = nameOf(account);
  /** One key for all tries until one did it, whatever the reason says by then: a word that is corrected makes no second strike. */
  const give = async (reason: string): Promise<void> => {
    try {
      await key.current.once({}, (idempotencyKey) =>
        client.call("giveStrike", { path, body: { reason }, idempotencyKey }),
      );
    } catch (err) {
      const isDone = err instanceof LivecoreError && err.code === "idempotency_conflict";
      if (!isDone) throw err;
      key.current = new AttemptKey();
      throw new DoneBefore(accounts.struckBefore);
    }
  };
  const revoke = async ({ id }: Strike): Promise<void> => {
    try {
      await client.call("revokeStrike", { path: { ...path, strike_id: id } });
    } catch (err) {
      throw (err instanceof LivecoreError && wordsOf(err)) || err;
    }
  };
  return (
    <Panel
      title={accounts.strikesTitle}
      aside={
        <button type="button" class="button quiet" onClick={() => setGiving({})}>
          {accounts.strike}
        </button>
      }
    >
      <PagedRows pages={pages} empty={accounts.noStrikes}>
        {(strike) => <StrikeRow key={strike.id} strike={strike} onRevoke={() => setRevoking(strike)} />}
      </PagedRows>
      {giving && (
        <ReasonDialog
          title={accounts.strikeTitle(name)}
          hint={accounts.strikeHint}
          go={accounts.strike}
          said={accounts.struck(name)}
          act={give}
          onDone={onActed}
          onClose={() => setGiving((now) => (now === giving ? null : now))}
        />
      )}
      {revoking && (
        <RemovalDialog
          title={accounts.revokeTitle}
          hint={accounts.revokeHint}
          go={accounts.revoke}
          said={accounts.revoked}
          remove={() => revoke(revoking)}
          onRemoved={onActed}
          onClose={() => setRevoking((now) => (now === revoking ? null : now))}
        />
      )}
    </Panel>
  );
}

function StrikeRow({ strike, onRevoke }: { strike: Strike; onRevoke: () => void }) {
  const { accounts } = STAFF_TEXTS;
  const { reason, by, created_at, expires_at, revoked_at, revoked_by, report_id } = strike;
  const isCounted = revoked_at === null && Date.parse(expires_at) > serverNow();
  return (
    <li>
      <div class="what">
        <span dir="auto">{reason}</span>
        <span class="quiet" dir="auto">
          {accounts.byOn(nameOrGone(by), formatDate(created_at))}
        </span>
        {revoked_at !== null && (
          <span class="quiet" dir="auto">
            {accounts.revokedBy(nameOrGone(revoked_by), formatDate(revoked_at))}
          </span>
        )}
        {report_id !== null && <a href={to(casePath(report_id))}>{accounts.fromCase}</a>}
      </div>
      {isCounted ? (
        <>
          <span class="state" data-state="banned">
            {accounts.expires(formatDate(expires_at))}
          </span>
          <button
            type="button"
            class="button quiet"
            aria-label={accounts.revokeOf(formatDate(created_at))}
            onClick={onRevoke}
          >
            {accounts.revoke}
          </button>
        </>
      ) : (
        <span class="state">{revoked_at === null ? accounts.expired : accounts.isRevoked}</span>
      )}
    </li>
  );
}
