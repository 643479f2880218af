import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";

type Props = {
  label: string;
  /** What is in the button. */
  button: ComponentChildren;
  /** A panel for a list of texts. */
  isWide?: boolean;
  children: ComponentChildren;
};

/** A button that opens a panel below it. Escape, a press elsewhere and leaving it by the keyboard close it. */
export function Menu({ label, button, isWide = false, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const { url } = useLocation();
  useEffect(() => setOpen(false), [url]);
  useEffect(() => {
    if (!isOpen) return;
    const ended = new AbortController();
    const { signal } = ended;
    const isInside = (target: EventTarget | null) =>
      target instanceof Node && whole.current?.contains(target);
    addEventListener("pointerdown", ({ target }) => isInside(target) || setOpen(false), { signal });
    addEventListener(
      "keydown",
      ({ key }) => {
        if (key !== "Escape") return;
        setOpen(false);
        opener.current?.focus();
      },
      { signal },
    );
    whole.current?.addEventListener(
      "focusout",
      ({ relatedTarget }) => relatedTarget !== null && !isInside(relatedTarget) && setOpen(false),
      { signal },
    );
    return () => ended.abort();
  }, [isOpen]);
  return (
    <div class={isWide ? "menu wide" : "menu"} ref={whole}>
      <button
        ref={opener}
        type="button"
        class="opener"
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && <div class="panel">{children}</div>}
    </div>
  );
}
