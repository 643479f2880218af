import { useMemo, useState } from "preact/hooks";
import { Loaded } from "../../../components/loaded.tsx";
import { useNewestFirst } from "../../../site/newest-first.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { More } from "../../../site/paged.tsx";
import { serverNow } from "../../../site/service-clock.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { Panel } from "../../panel.tsx";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { type Target, useDesk } from "../desk.ts";
import { ActionRow } from "./action-row.tsx";
import { type Filters, LogFilters, NO_FILTERS } from "./log-filters.tsx";

type Action = Schemas["ModerationAction"];

/** What moderators did in this room, newest first, as it happens. */
export function LogPanel() {
  const texts = CONSOLE_TEXTS.moderation.log;
  const { streamId } = useDesk();
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const { action, actor, target, withinMs } = filters;
  const since = useMemo(
    () => (withinMs === null ? null : new Date(serverNow() - withinMs).toISOString()),
    [withinMs],
  );
  const query = {
    ...(action !== null && { action }),
    ...(actor !== null && { actor: actor.id }),
    ...(target !== null && { target: target.id }),
    ...(since !== null && { since }),
  };
  const list = useNewestFirst("listModerationActions", { path: { stream_id: streamId }, query }, keyOf);
  const { first, items } = list;
  useRoomTopic(
    streamId,
    (room) => [
      ...whenRoomMissed(room, first.again),
      room.on("mod.action", ({ data }) => {
        if (isWanted(data, filters)) list.change((before) => [data, ...before]);
      }),
    ],
    JSON.stringify(query),
  );
  return (
    <Panel title={texts.title} kind="log-panel">
      <LogFilters filters={filters} onChange={setFilters} />
      <Loaded read={first}>
        {() =>
          items.length === 0 ? (
            <p class="quiet">{filters === NO_FILTERS ? texts.empty : texts.none}</p>
          ) : (
            <ul class="rows">
              {items.map((one) => (
                <ActionRow key={one.id} action={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More pages={list} />
    </Panel>
  );
}

const keyOf = ({ id }: Action): string => id;

const isUser = (user: { id: string } | null, wanted: Target | null): boolean =>
  wanted === null || user?.id === wanted.id;

const isWanted = (one: Action, { action, actor, target }: Filters): boolean =>
  (action === null || one.action === action) && isUser(one.actor, actor) && isUser(one.target, target);
