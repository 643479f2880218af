import { LivecoreError } from "@livecore/client";
import { Avatar } from "../../components/avatar.tsx";
import { useOneAtATime } from "../../components/one-at-a-time.ts";
import { Panel } from "../../console/panel.tsx";
import { formatNumber } from "../../formats/numbers.ts";
import { type Schemas, to } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { Moment } from "../age.tsx";

type Props = { account: Schemas["StaffUser"]; onChanged: (account: Schemas["StaffUser"]) => void };

/** What an account is, and the mark of a verified channel. */
export function AccountFacts({ account, onChanged }: Props) {
  const { accounts } = STAFF_TEXTS;
  const { isBusy, run } = useOneAtATime();
  const { is_verified, email, email_verified, session_count } = account;
  const mark = async (): Promise<void> => {
    try {
      const changed = await client.call("updateUser", {
        path: { account_id: account.id },
        body: { is_verified: !is_verified },
      });
      // Only an answer about one account counts its sessions.
      onChanged({ ...changed, ...(session_count !== undefined && { session_count }) });
      say(is_verified ? accounts.badgeTaken : accounts.badgeGiven);
    } catch (err) {
      const isOwn = err instanceof LivecoreError && err.code === "self_target";
      say(isOwn ? accounts.own : problemOf(err), { isProblem: true });
    }
  };
  return (
    <Panel
      title={accounts.facts}
      aside={
        <span class="state" data-state={account.status}>
          {accounts.states[account.status]}
        </span>
      }
    >
      <div class="person">
        <Avatar user={account} isLarge />
        {account.status !== "deleted" && <a href={to(account.username)}>{accounts.channel}</a>}
        {account.is_staff && <span class="state">{accounts.staff}</span>}
        {is_verified && <span class="state">{accounts.badge}</span>}
      </div>
      <dl>
        <dt>{accounts.id}</dt>
        <dd>
          <code>{account.id}</code>
        </dd>
        <dt>{accounts.email}</dt>
        <dd>
          {email === null ? (
            accounts.noEmail
          ) : (
            <>
              <bdi>{email}</bdi> ({email_verified === undefined ? accounts.unverified : accounts.verified})
            </>
          )}
        </dd>
        <dt>{accounts.joined}</dt>
        <dd>
          <Moment of={account.created_at} />
        </dd>
        <dt>{accounts.sessions}</dt>
        <dd>{formatNumber(session_count ?? 0)}</dd>
        <dt>{accounts.twoFactor}</dt>
        <dd>{account.two_factor_enabled ? accounts.on : accounts.off}</dd>
        {account.bio !== null && account.bio !== "" && (
          <>
            <dt>{accounts.bio}</dt>
            <dd class="lines" dir="auto">
              {account.bio}
            </dd>
          </>
        )}
      </dl>
      <div class="actions">
        <button type="button" class="button quiet" aria-disabled={isBusy} onClick={() => void run(mark)}>
          {is_verified ? accounts.takeBadge : accounts.giveBadge}
        </button>
      </div>
    </Panel>
  );
}
