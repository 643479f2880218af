import { useEffect, useState } from "preact/hooks";
import { Field } from "../../../components/field.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { useRead } from "../../../site/read.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { Panel } from "../../panel.tsx";
import { useReadSoon } from "../../read-soon.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { useDesk } from "../desk.ts";
import { RestrictionRow } from "./restriction-row.tsx";
import "./restrictions.css";

const PER_PAGE = 25;
/** What is typed within this time is one search. */
const TYPING_MS = 250;
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
  useEffect(() => {
    const name = typed.trim().replace(/^@/, "").toLowerCase();
    // Nothing was typed: whoever turns pages stays there.
    if (name === username) return;
    const timer = setTimeout(() => {
      setUsername(name);
      setPage(1);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = { type: kind, page, per_page: PER_PAGE, ...(username === "" ? {} : { username }) };
  const read = useRead("listRestrictions", { path: { stream_id: streamId }, query });
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
          {read.data && read.data.total > 0 && texts.count(kind, read.data.total)}
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
      <Loaded read={read}>
        {({ items, has_more }) => (
          <>
            {items.length === 0 ? (
              <p class="quiet">{username === "" ? texts.empty[kind] : texts.none}</p>
            ) : (
              <ul class="rows">
                {items.map((one) => (
                  <RestrictionRow key={one.user.id} restriction={one} onChange={soon} />
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
