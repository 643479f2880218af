import { useId, useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { UserList } from "./user-list.tsx";

/** The channels that are hosted after a broadcast, in the order in which they are tried. */
export function AutoHost({ known }: { known: readonly Schemas["UserSummary"][] }) {
  const texts = TEXTS.consoleRaids;
  const id = useId();
  const [users, setUsers] = useState(known);
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{texts.auto}</h2>
      </header>
      <p class="quiet">{texts.autoHint}</p>
      <UserList
        users={users}
        empty={texts.autoNone}
        isOrdered
        onChange={async (wanted) => {
          const body = { user_ids: wanted.map((one) => one.id) };
          setUsers((await client.call("setAutoHost", { body })).users);
        }}
      />
    </section>
  );
}
