import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { More, usePaged } from "../../site/paged.tsx";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";
import { Choice, optionsOf } from "../choice.tsx";
import { QueueFigures } from "../queue-figures.tsx";
import { useQueueKeys } from "../queue-keys.ts";
import { type OfStaff, StaffPage, useReadOnReturn } from "../staff-page.tsx";
import { canBecome, type Handled } from "./handled.ts";
import { RequestRow } from "./request-row.tsx";
import { SupportDialog } from "./support-dialog.tsx";

type Request = Schemas["StaffSupportRequest"];

/** The queue of requests for help and for taking content down. */
export const StaffSupport = () => <StaffPage section="support">{(of) => <Queue {...of} />}</StaffPage>;

function Queue({ queues }: OfStaff) {
  const { frame, support } = STAFF_TEXTS;
  const [status, setStatus] = useState<"" | Request["status"]>("open");
  const pages = usePaged("listSupportRequests", { query: status === "" ? {} : { status } });
  const [openId, setOpen] = useState<string | null>(null);
  const [asked, ask] = useState<{ one: Request; to: Handled } | null>(null);
  const again = (): void => {
    pages.again();
    queues.again();
  };
  useReadOnReturn(pages.again);
  const handle = (one: Request, to: Handled): void => {
    if (canBecome(one, to)) ask({ one, to });
  };
  const toggle = (id: string): void => setOpen((before) => (before === id ? null : id));
  const keys = useQueueKeys(
    pages.items,
    {
      Enter: ({ id }) => toggle(id),
      a: (one) => handle(one, "answered"),
      x: (one) => handle(one, "closed"),
      r: again,
    },
    asked !== null,
  );
  return (
    <>
      <QueueFigures queue={queues.data?.support} hasClaims={false} />
      <p class="quiet">{support.hint}</p>
      <div class="filters">
        <Choice
          label={support.status}
          value={status}
          options={optionsOf(support.statuses)}
          onValue={setStatus}
        />
        <button type="button" class="button quiet" onClick={again}>
          {frame.refresh}
        </button>
      </div>
      <Loaded read={pages.first}>
        {() =>
          pages.items.length === 0 ? (
            <p class="quiet">{support.empty}</p>
          ) : (
            <>
              <p class="quiet keys">{support.keys}</p>
              <ul ref={keys.list} class="queue" aria-label={support.list} onKeyDown={keys.onKeyDown}>
                {pages.items.map((one) => (
                  <RequestRow
                    key={one.id}
                    one={one}
                    isCurrent={one === keys.current}
                    isOpen={one.id === openId}
                    onToggle={() => toggle(one.id)}
                    onFocus={() => keys.setCurrent(one.id)}
                    onHandle={(to) => handle(one, to)}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      <More pages={pages} />
      {asked && (
        <SupportDialog
          key={asked.one.id}
          {...asked}
          onDone={() => {
            keys.leave(asked.one.id);
            again();
          }}
          onClose={() => ask((now) => (now === asked ? null : now))}
        />
      )}
    </>
  );
}
