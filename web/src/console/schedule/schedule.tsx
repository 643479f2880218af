import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { ConsolePage } from "../console-page.tsx";
import { Panel } from "../panel.tsx";
import { EntryForm } from "./entry-form.tsx";
import { EntryRow } from "./entry-row.tsx";
import { PauseForm } from "./pause-form.tsx";
import "./schedule.css";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Entry = Schemas["ScheduleEntry"];
/** What stands above the list. */
type Open = { form: Entry | null } | { pause: Entry } | { removal: Entry };

/** As many as a schedule may have (docs/interface.md#8-limits), and as a page of a list. */
const ALL = 100;

/** What the channel plans. */
export const ScheduleConsole = () => (
  <ConsolePage section="schedule">{({ username }) => <Schedule username={username} />}</ConsolePage>
);

function Schedule({ username }: { username: string }) {
  const texts = CONSOLE_TEXTS.schedule;
  const query = { per_page: ALL };
  const entries = useRead("listMySchedule", { query });
  const weeks = useRead("listSchedule", { path: { username }, query });
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const changed = (): void => {
    close();
    entries.again();
    weeks.again();
  };
  return (
    <Panel
      title={texts.planned}
      aside={
        <button type="button" class="button" onClick={() => setOpen({ form: null })}>
          {texts.add}
        </button>
      }
    >
      <p class="quiet">{texts.hint}</p>
      <Loaded read={entries}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{texts.none}</p>
          ) : (
            <ul class="rows entries">
              {items.map((entry) => (
                <EntryRow
                  key={entry.id}
                  entry={entry}
                  next={weeks.data?.items.filter(({ id }) => id === entry.id) ?? null}
                  onChanged={(now) => {
                    entries.change((page) => ({
                      ...page,
                      items: page.items.map((one) => (one.id === now.id ? now : one)),
                    }));
                    weeks.again();
                  }}
                  onEdit={() => setOpen({ form: entry })}
                  onPause={() => setOpen({ pause: entry })}
                  onRemove={() => setOpen({ removal: entry })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {open && "form" in open && <EntryForm entry={open.form} onSaved={changed} onClose={close} />}
      {open && "pause" in open && <PauseForm entry={open.pause} onSaved={changed} onClose={close} />}
      {open && "removal" in open && (
        <RemovalDialog
          title={texts.removeTitle(open.removal.title)}
          hint={texts.removeHint[open.removal.is_recurring ? "weekly" : "once"]}
          go={texts.remove}
          said={texts.removed(open.removal.title)}
          remove={() => client.call("deleteScheduleEntry", { path: { entry_id: open.removal.id } })}
          onRemoved={changed}
          onClose={close}
        />
      )}
    </Panel>
  );
}
