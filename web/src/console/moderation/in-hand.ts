import type { RefObject } from "preact";
import { useState } from "preact/hooks";

type InHand = {
  /** By a mouse. */
  isPointedAt: boolean;
  hasFocus: boolean;
  handlers: {
    onPointerEnter(event: PointerEvent): void;
    onPointerLeave(): void;
    onFocusIn(): void;
    onFocusOut(event: FocusEvent): void;
  };
};

/** Whether somebody is about to press something in an element: what the press or the key is meant for must not move on. */
export function useInHand(element: RefObject<HTMLElement | null>): InHand {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  return {
    isPointedAt,
    hasFocus,
    handlers: {
      onPointerEnter: ({ pointerType }) => setPointedAt(pointerType === "mouse"),
      onPointerLeave: () => setPointedAt(false),
      onFocusIn: () => setFocus(true),
      onFocusOut: ({ relatedTarget }) =>
        setFocus(element.current !== null && keeps(element.current, relatedTarget)),
    },
  };
}

/** Whether the focus that goes to `to` stays in the element, or comes back to it. */
function keeps(element: HTMLElement, to: EventTarget | null): boolean {
  // The window has lost the focus, and gives it back.
  if (to === null) return element.contains(document.activeElement);
  if (!(to instanceof Element)) return false;
  // So does a dialog above it.
  return element.contains(to) || to.closest("dialog") !== element.closest("dialog");
}
