import { Loaded } from "../../components/loaded.tsx";
import { useInTurn } from "../../console/in-turn.ts";
import { Panel } from "../../console/panel.tsx";
import { UserList } from "../../console/raids/user-list.tsx";
import { Problem } from "../../site/problems.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { StaffPage, useReadOnReturn } from "../staff-page.tsx";

/** As the service allows it. */
const MOST = 20;

/** The channels that the home page shows first. */
export const StaffFeatured = () => <StaffPage section="featured">{() => <Featured />}</StaffPage>;

const WHOLE = { query: { per_page: MOST } };

function Featured() {
  const { featured } = STAFF_TEXTS;
  const read = useRead("listFeatured", WHOLE);
  useReadOnReturn(read.again);
  const inTurn = useInTurn();
  return (
    <div class="panels">
      <Panel title={featured.title}>
        <p class="quiet">{featured.hint}</p>
        <Loaded read={read}>
          {({ items }) => (
            <UserList
              users={items}
              empty={featured.none}
              isOrdered
              onChange={(change) =>
                inTurn(async () => {
                  // As it is now: the list is kept as a whole, and other staff change it too.
                  const before = await client.call("listFeatured", WHOLE);
                  const next = [...change(before.items)];
                  if (next.length > MOST) throw new Problem(featured.tooMany);
                  await client.call("setFeatured", { body: { user_ids: next.map(({ id }) => id) } });
                  read.change(() => ({ ...before, items: next }));
                })
              }
            />
          )}
        </Loaded>
      </Panel>
    </div>
  );
}
