import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { isComposing } from "./composing.ts";
import { FieldFrame } from "./field-frame.tsx";
import "./combobox.css";

/** Suggestions are asked for when the typing pauses. */
const PAUSE_MS = 200;
const LONGEST = 100;

type Props<Item> = {
  label: string;
  hint?: string;
  /** What is wrong with it; null if nothing is. */
  fault?: string | null;
  text: string;
  onText: (text: string) => void;
  /** What fits what is typed, the best first; of nothing typed too. */
  find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  keyOf: (item: Item) => string;
  /** Takes one of the suggestions. */
  onChoose: (item: Item) => void;
  /** The focus leaves it, without a choice. */
  onLeave?: () => void;
  autoFocus?: boolean;
  /** A suggestion as it is listed. */
  children: (item: Item) => ComponentChildren;
};

/** A field in which one of many things is found by typing, and chosen by the arrow keys and Enter or by a press. */
export function Combobox<Item>(props: Props<Item>) {
  const {
    label,
    hint,
    fault = null,
    text,
    onText,
    find,
    keyOf,
    onChoose,
    onLeave,
    children,
    ...rest
  } = props;
  const [items, setItems] = useState<readonly Item[]>([]);
  /** What was looked for without finding anything; empty if something was found, or nothing was looked for. */
  const [missed, setMissed] = useState("");
  const [isOpen, setOpen] = useState(false);
  // By its key: an answer that comes later may have it at another place.
  const [markedKey, mark] = useState<string | null>(null);
  const list = useId();
  const whole = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!isOpen) return setItems([]);
    const ended = new AbortController();
    const pause = setTimeout(async () => {
      const found = await find(text.trim(), ended.signal);
      if (ended.signal.aborted) return;
      setItems(found);
      setMissed(found.length === 0 ? text.trim() : "");
    }, PAUSE_MS);
    return () => {
      clearTimeout(pause);
      ended.abort();
    };
  }, [text, isOpen]);

  const marked = items.findIndex((item) => keyOf(item) === markedKey);
  const isShown = isOpen && items.length > 0;
  const choose = (item: Item): void => {
    setOpen(false);
    mark(null);
    onChoose(item);
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && isShown) {
      // It closes the list, and not the dialog that it is in.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
    const item = items[marked];
    if (event.key === "Enter" && isShown && item !== undefined) {
      event.preventDefault();
      choose(item);
    }
    if (step === undefined) return;
    event.preventDefault();
    setOpen(true);
    // One place before the first is the text itself.
    const count = items.length + 1;
    const next = items[((marked + 1 + step + count) % count) - 1];
    mark(next === undefined ? null : keyOf(next));
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget instanceof Node && whole.current?.contains(relatedTarget)) return;
    setOpen(false);
    onLeave?.();
  };
  return (
    <div class="combobox" ref={whole} onFocusOut={leave}>
      <FieldFrame label={label} hint={hint} fault={fault}>
        {(tied) => (
          <input
            {...rest}
            {...tied}
            type="text"
            role="combobox"
            value={text}
            maxLength={LONGEST}
            autoComplete="off"
            aria-expanded={isShown}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={isShown && marked !== -1 ? `${list}-${marked}` : undefined}
            onClick={() => setOpen(true)}
            onInput={(event) => {
              onText(event.currentTarget.value);
              mark(null);
              setOpen(true);
            }}
            onKeyDown={press}
          />
        )}
      </FieldFrame>
      <p role="status" class="note" dir="auto">
        {isOpen && missed !== "" && missed === text.trim() && TEXTS.search.none(missed)}
      </p>
      <div id={list} role="listbox" aria-label={label} class="suggestions" hidden={!isShown}>
        {items.map((item, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
          <div
            key={keyOf(item)}
            id={`${list}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === marked}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(item)}
          >
            {children(item)}
          </div>
        ))}
      </div>
    </div>
  );
}
