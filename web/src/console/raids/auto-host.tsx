import { useRef, useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { useInTurn } from "../in-turn.ts";
import { Panel } from "../panel.tsx";
import { UserList } from "./user-list.tsx";

/** The channels that are hosted after a broadcast, in the order in which they are tried. */
export function AutoHost({ known }: { known: readonly Schemas["UserSummary"][] }) {
  const texts = CONSOLE_TEXTS.raids;
  const [users, setUsers] = useState(known);
  const newest = useRef(known);
  const inTurn = useInTurn();
  return (
    <Panel title={texts.auto}>
      <p class="quiet">{texts.autoHint}</p>
      <UserList
        users={users}
        empty={texts.autoNone}
        isOrdered
        onChange={(change) =>
          inTurn(async () => {
            const body = { user_ids: change(newest.current).map(({ id }) => id) };
            newest.current = (await client.call("setAutoHost", { body })).users;
            setUsers(newest.current);
          })
        }
      />
    </Panel>
  );
}
