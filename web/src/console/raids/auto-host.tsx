import { useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";
import { Panel } from "../panel.tsx";
import { UserList } from "./user-list.tsx";

/** The channels that are hosted after a broadcast, in the order in which they are tried. */
export function AutoHost({ known }: { known: readonly Schemas["UserSummary"][] }) {
  const texts = TEXTS.consoleRaids;
  const [users, setUsers] = useState(known);
  return (
    <Panel title={texts.auto}>
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
    </Panel>
  );
}
