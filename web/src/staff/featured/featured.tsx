import { useRef, useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { useInTurn } from "../../console/in-turn.ts";
import { Panel } from "../../console/panel.tsx";
import { UserList } from "../../console/raids/user-list.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { StaffPage } from "../staff-page.tsx";

/** As the service allows it. */
const MOST = 20;

/** The channels that the home page shows first. */
export const StaffFeatured = () => <StaffPage section="featured">{() => <Featured />}</StaffPage>;

function Featured() {
  const read = useRead("listFeatured", { query: { per_page: MOST } });
  return <Loaded read={read}>{({ items }) => <List known={items} />}</Loaded>;
}

function List({ known }: { known: readonly Schemas["UserSummary"][] }) {
  const { featured } = STAFF_TEXTS;
  const [users, setUsers] = useState(known);
  const newest = useRef(known);
  const inTurn = useInTurn();
  return (
    <div class="panels">
      <Panel title={featured.title}>
        <p class="quiet">{featured.hint}</p>
        <UserList
          users={users}
          empty={featured.none}
          isOrdered
          onChange={(change) =>
            inTurn(async () => {
              const next = change(newest.current);
              if (next.length > MOST) throw new Problem(featured.tooMany);
              await client.call("setFeatured", { body: { user_ids: next.map(({ id }) => id) } });
              newest.current = next;
              setUsers(next);
            })
          }
        />
      </Panel>
    </div>
  );
}
