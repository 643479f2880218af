import { ChevronDown, ChevronUp, type IconNode } from "lucide";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A chat that is lower than this has no room for open cards above its lines, px. */
const LOW_PX = 480;

type Fold = { isFolded: boolean; toggle(): void };

/** Whether a card above the lines is folded to one line: as the reader has chosen, or else where the chat is low. */
export function useFold(card: RefObject<HTMLElement | null>): Fold {
  const [isLow, setLow] = useState(false);
  const [choice, choose] = useState<boolean | null>(null);
  useLayoutEffect(() => {
    const chat = card.current?.closest<HTMLElement>(".chat");
    if (!chat) return;
    const look = (): void => {
      // A phone's keyboard, for what is typed in it, doesn't close it.
      if (card.current?.contains(document.activeElement)) return;
      setLow(chat.clientHeight < LOW_PX);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(chat);
    return () => observer.disconnect();
  }, []);
  const isFolded = choice ?? isLow;
  return { isFolded, toggle: () => choose(!isFolded) };
}

type Props = {
  fold: Fold;
  icon: IconNode;
  /** What it is. */
  label: string;
  /** What it is about, which stands for it while it is folded. */
  title: ComponentChildren;
  /** How it stands, or how long it goes on. */
  state?: ComponentChildren;
  /** Texts of the button. */
  texts: { fold: string; unfold: string };
  /** Id of what is folded. */
  body: string;
  /** A further button. */
  button?: ComponentChildren;
};

/** A card's first line: what it is or, folded, what it is about; how it stands; the button that folds it. */
export function CardHead({
  fold: { isFolded, toggle },
  icon,
  label,
  title,
  state,
  texts,
  body,
  button,
}: Props) {
  return (
    <>
      <header class="card-head" data-folded={isFolded}>
        <Icon of={icon} />
        {isFolded ? title : <p class="label">{label}</p>}
        {state !== undefined && <span class="state">{state}</span>}
        <button
          type="button"
          class="fold"
          aria-label={isFolded ? texts.unfold : texts.fold}
          aria-expanded={!isFolded}
          aria-controls={body}
          onClick={toggle}
        >
          <Icon of={isFolded ? ChevronDown : ChevronUp} />
        </button>
        {button}
      </header>
      {!isFolded && title}
    </>
  );
}
