import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { nameOf } from "../../components/avatar.tsx";
import { laterDialog } from "../../components/later.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import type { DecisionDialog as Decision } from "./decision-dialog.tsx";
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

const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Banned users who ask to be let back, oldest first, decided by mouse or by keys. */
export function UnbanRequests({ streamId, takesRequests, isOwner, onSwitch }: Props) {
  const texts = CONSOLE_TEXTS.moderation.unbanRequests;
  const { read, shown, left, resolve, putAway } = usePendingRequests(streamId);
  const [currentId, setCurrent] = useState<string | null>(null);
  const [asked, ask] = useState<Asked | null>(null);
  const panel = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  /** Where the focus goes after the row that had it is gone. */
  const next = useRef<number | null>(null);
  const current = shown.find(({ id }) => id === currentId) ?? shown[0];

  const focus = (index: number): void => {
    const target = shown[Math.max(0, Math.min(index, shown.length - 1))];
    setCurrent(target?.id ?? null);
    (target ? rowOf(list.current, target.id) : panel.current)?.focus();
  };

  // Once the dialog has given the focus back to a row that isn't there any more.
  useLayoutEffect(() => {
    if (next.current === null || asked !== null) return;
    focus(next.current);
    next.current = null;
  }, [shown.length, asked]);

  const leave = (id: string): void => {
    next.current = shown.findIndex((one) => one.id === id);
    putAway(id);
  };

  const onKey = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain || !current || asked !== null) return;
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      focus(shown.indexOf(current) + step);
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
      <section ref={panel} class="panel" aria-label={texts.title} tabIndex={-1}>
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
                <ul ref={list} class="requests" onKeyDown={onKey}>
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

const rowOf = (list: HTMLElement | null, id: string): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`) ?? null;
