import { useState } from "preact/hooks";
import { Avatar, nameOf } from "../../components/avatar.tsx";
import { Field } from "../../components/field.tsx";
import { PagedRows } from "../../components/paged-rows.tsx";
import { useSearchAsTyped } from "../../components/search-as-typed.ts";
import { to } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { Moment } from "../age.tsx";
import { Choice, optionsOf } from "../choice.tsx";
import { accountPath } from "../sections.ts";
import { StaffPage } from "../staff-page.tsx";

const LONGEST = 254;

/** Finds accounts by name, address or id. */
export const StaffAccounts = () => <StaffPage section="accounts">{() => <Search />}</StaffPage>;

function Search() {
  const { accounts } = STAFF_TEXTS;
  const [typed, setTyped] = useState("");
  const [q, setQuery] = useState("");
  const [status, setStatus] = useState<"" | "active" | "banned" | "deleted">("");
  useSearchAsTyped(typed, setQuery);
  const pages = usePaged("listUsers", {
    query: { ...(q !== "" && { q }), ...(status !== "" && { status }) },
  });
  return (
    <>
      <p class="quiet">{accounts.searchHint}</p>
      <search>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            setQuery(typed.trim());
          }}
        >
          <Field
            name="q"
            label={accounts.search}
            autoComplete="off"
            maxLength={LONGEST}
            value={typed}
            onValue={setTyped}
          />
          <Choice
            label={accounts.status}
            value={status}
            options={optionsOf(accounts.statuses)}
            onValue={setStatus}
          />
        </form>
      </search>
      <div class="panel">
        <PagedRows pages={pages} empty={accounts.none} isLive>
          {(account) => (
            <li key={account.id}>
              <Avatar user={account} />
              <div class="what">
                <a href={to(accountPath(account.id))}>
                  <bdi>{nameOf(account)}</bdi>
                </a>
                <span class="quiet">
                  <bdi>{account.username}</bdi> · <bdi>{account.email ?? accounts.noEmail}</bdi> ·{" "}
                  <Moment of={account.created_at} isDay />
                </span>
              </div>
              {account.live_strikes > 0 && (
                <span class="state">{accounts.strikes(account.live_strikes)}</span>
              )}
              {account.is_staff && <span class="state">{accounts.staff}</span>}
              <span class="state" data-state={account.status}>
                {accounts.states[account.status]}
              </span>
            </li>
          )}
        </PagedRows>
      </div>
    </>
  );
}
