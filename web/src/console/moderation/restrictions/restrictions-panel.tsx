import { useEffect, useRef, useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { useSearchAsTyped } from "../../../components/search-as-typed.ts";
import { type Read, useRead } from "../../../site/read.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Panel } from "../../panel.tsx";
import { useReadSoon } from "../../read-soon.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { useDesk } from "../desk.ts";
import { RestrictionRow } from "./restriction-row.tsx";
import "./restrictions.css";

const PER_PAGE = 25;
const ACTS: readonly string[] = ["ban", "unban", "timeout", "untimeout"];
const KINDS = ["ban", "timeout"] as const;
type Kind = (typeof KINDS)[number];

/** Who is banned or timed out, page by page, whoever acts. */
export function RestrictionsPanel() {
  const texts = CONSOLE_TEXTS.moderation.restrictions;
  const { streamId } = useDesk();
  const [kind, setKind] = useState<Kind>("ban");
  const [typed, setTyped] = useState("");
  const [username, setUsername] = useState("");
  const [page, setPage] = useState(1);
  useSearchAsTyped(typed, (text) => {
    const name = text.replace(/^@/, "").toLowerCase();
    // Nothing was typed: whoever turns pages stays there.
    if (name === username) return;
    setUsername(name);
    setPage(1);
  });
  const query = { type: kind, page, per_page: PER_PAGE, ...(username === "" ? {} : { username }) };
  const read = useRead("listRestrictions", { path: { stream_id: streamId }, query });
  const shown = usePageKept(read, `${kind} ${username}`);
  const isBeyond = page > 1 && read.data?.items.length === 0;
  // Somebody lifted the last ones of the last page.
  useEffect(() => {
    if (isBeyond) setPage((before) => Math.max(1, before - 1));
  }, [isBeyond]);
  const whyEmpty = (): string => {
    if (isBeyond || read.data === undefined) return TEXTS.loading;
    return username === "" ? texts.empty[kind] : texts.none;
  };
  const soon = useReadSoon(read.again);
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, soon),
    room.on("mod.action", ({ data }) => ACTS.includes(data.action) && soon()),
  ]);
  return (
    <Panel
      title={texts.title}
      kind="restrictions"
      aside={
        <span class="quiet" role="status">
          {shown.data && shown.data.total > 0 && texts.count(kind, shown.data.total)}
        </span>
      }
    >
      <div class="filters">
        <fieldset class="kinds" aria-label={texts.kind}>
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              class={one === kind ? "button" : "button quiet"}
              aria-pressed={one === kind}
              onClick={() => {
                setKind(one);
                setPage(1);
              }}
            >
              {texts.kinds[one]}
            </button>
          ))}
        </fieldset>
        <Field
          name="restricted"
          label={texts.search}
          autoComplete="off"
          maxLength={30}
          value={typed}
          onValue={setTyped}
        />
      </div>
      <Loaded read={shown}>
        {({ items, has_more }) => (
          <>
            {items.length === 0 ? (
              <p class="quiet">{whyEmpty()}</p>
            ) : (
              <ul class="rows">
                {items.map((one) => (
                  <RestrictionRow key={one.user.id} restriction={one} />
                ))}
              </ul>
            )}
            {(has_more || page > 1) && (
              <div class="pager">
                <button
                  type="button"
                  class="button quiet"
                  aria-disabled={page === 1}
                  onClick={() => setPage(Math.max(1, page - 1))}
                >
                  {texts.previous}
                </button>
                <span class="quiet" role="status">
                  {texts.page(page)}
                </span>
                <button
                  type="button"
                  class="button quiet"
                  aria-disabled={!has_more}
                  onClick={() => has_more && setPage(page + 1)}
                >
                  {texts.next}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** The page before stays until the next one of the same list is there: its buttons keep the focus. */
function usePageKept<Data>(read: Read<Data>, list: string): Read<Data> {
  const before = useRef<{ list: string; data: Data | undefined }>({ list, data: undefined });
  if (read.data !== undefined || before.current.list !== list) before.current = { list, data: read.data };
  return read.problem === null ? { ...read, data: before.current.data } : read;
}
