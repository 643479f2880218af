import { useState } from "preact/hooks";
import { Loaded } from "../../../components/loaded.tsx";
import { More } from "../../../site/paged.tsx";
import { Panel } from "../../panel.tsx";
import { type ActivityChannel, type ActivityKind, useActivity } from "./activity.ts";
import { ActivityRow, spoken } from "./activity-row.tsx";
import "./activity.css";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

const KINDS = ["follow", "subscription", "gift", "tip", "raid", "host", "redemption"] as const;
const kindOf = (value: string): ActivityKind | null => KINDS.find((kind) => kind === value) ?? null;

/** What happens on the channel: follows, payments, raids, hosts and redemptions, newest first. */
export function ActivityFeed({ channel }: { channel: ActivityChannel }) {
  const { activity } = CONSOLE_TEXTS;
  const [kind, setKind] = useState<ActivityKind | null>(null);
  const list = useActivity(channel, kind);
  const filter = (
    <select
      aria-label={activity.filter}
      value={kind ?? "all"}
      onChange={({ currentTarget }) => setKind(kindOf(currentTarget.value))}
    >
      {(["all", ...KINDS] as const).map((one) => (
        <option key={one} value={one}>
          {activity.kinds[one]}
        </option>
      ))}
    </select>
  );
  return (
    <Panel title={activity.title} kind="activity" aside={filter}>
      <p class="aloud" role="status">
        {list.newest && spoken(list.newest)}
      </p>
      <Loaded read={list.first}>
        {() =>
          list.items.length === 0 ? (
            <p class="note">{kind === null ? activity.empty : activity.emptyKind}</p>
          ) : (
            <div class="scrolled">
              <ul class="happened">
                {list.items.map((one) => (
                  <ActivityRow key={one.id} activity={one} list={list} />
                ))}
              </ul>
              <More pages={list} />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}
