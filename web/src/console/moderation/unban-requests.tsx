import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { laterDialog } from "../../components/later.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { rowBeside, useRowKeys } from "../../components/row-keys.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { useKeptFocus } from "../kept-focus.ts";
import type { DecisionDialog as Decision } from "./decision-dialog.tsx";
import { useDesk } from "./desk.ts";
import { type Shown, usePendingRequests } from "./pending-requests.ts";
import { RequestRow } from "./request-row.tsx";
import { RequestsSwitch } from "./requests-switch.tsx";

type Props = {
  streamId: string;
  takesRequests: boolean;
  isOwner: boolean;
  onSwitch: (isOn: boolean) => void;
};
type Asked = { request: Shown; action: "approve" | "deny" };

const DecisionDialog = laterDialog<Parameters<typeof Decision>[0]>(
  async () => (await import("./decision-dialog.tsx")).DecisionDialog,
);

/** Banned users who ask to be let back, oldest first, decided by mouse or by keys. */
export function UnbanRequests({ streamId, takesRequests, isOwner, onSwitch }: Props) {
  const texts = CONSOLE_TEXTS.moderation.unbanRequests;
  const [asked, ask] = useState<Asked | null>(null);
  const panel = useRef<HTMLElement>(null);
  const { openCard } = useDesk();
  useKeptFocus(panel);
  const { currentId, setCurrent, moveTo, step } = useRowKeys(panel);
  const { read, shown, left, resolve, putAway } = usePendingRequests(streamId, currentId);
  /** Where the focus goes after the row that had it is gone; undefined: it stays. */
  const next = useRef<string | null | undefined>(undefined);
  const current = shown.find(({ id }) => id === currentId) ?? shown[0];

  const ids = shown.map(({ id }) => id);

  // Once the dialog has given the focus back to a row that isn't there any more.
  useLayoutEffect(() => {
    if (next.current === undefined || asked !== null) return;
    moveTo(next.current);
    next.current = undefined;
  }, [shown.length, asked]);

  const leave = (id: string): void => {
    next.current = rowBeside(id, ids);
    putAway(id);
  };

  const onKey = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain || !current || asked !== null) return;
    if (step(event, ids)) return;
    if (event.key === "i") {
      event.preventDefault();
      openCard(current.user);
      return;
    }
    const action = event.key === "a" ? "approve" : event.key === "d" ? "deny" : null;
    if (action === null || current.resolution !== null) return;
    event.preventDefault();
    ask({ request: current, action });
  };

  const waiting = shown.filter(({ resolution }) => resolution === null).length + left;
  return (
    <>
      <section ref={panel} class="panel unbans" aria-label={texts.title} tabIndex={-1}>
        <header>
          <h2>{texts.title}</h2>
          <span class="quiet" role="status">
            {waiting > 0 && texts.count(waiting)}
          </span>
        </header>
        {isOwner && <RequestsSwitch streamId={streamId} isOn={takesRequests} onSwitch={onSwitch} />}
        {!isOwner && !takesRequests && <p class="quiet">{texts.off}</p>}
        <Loaded read={read}>
          {() =>
            shown.length === 0 ? (
              <p class="quiet none">{texts.empty}</p>
            ) : (
              <>
                <p class="quiet keys">{texts.keys}</p>
                <ul class="requests" onKeyDown={onKey}>
                  {shown.map((request) => (
                    <RequestRow
                      key={request.id}
                      request={request}
                      isCurrent={request === current}
                      onFocus={() => setCurrent(request.id)}
                      onDecide={(action) => ask({ request, action })}
                      onPutAway={() => leave(request.id)}
                    />
                  ))}
                </ul>
                {left > 0 && <p class="quiet">{texts.more(left)}</p>}
              </>
            )
          }
        </Loaded>
      </section>
      {asked && (
        <DecisionDialog
          key={asked.request.id}
          streamId={streamId}
          requestId={asked.request.id}
          name={nameOf(asked.request.user)}
          action={asked.action}
          onDone={() => leave(asked.request.id)}
          onElsewhere={(resolution) => resolve(asked.request.id, resolution)}
          onClose={() => ask(null)}
        />
      )}
    </>
  );
}
