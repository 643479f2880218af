import { Pin as PinIcon } from "lucide";
import { useId, useRef, useState } from "preact/hooks";
import { CardHead, useFold } from "../components/folding.tsx";
import { TEXTS } from "../texts/embedded.ts";
import { MessageText } from "./message-view.tsx";
import type { Pin } from "./room-facts.ts";

type Props = {
  pin: Pin;
  /** Null for readers who may not. */
  onUnpin: (() => void) | null;
};

/** The pinned message, until the reader hides it. Another pin is shown again. */
export function PinCard({ pin, onUnpin }: Props) {
  const [isHidden, hide] = useState(false);
  const card = useRef<HTMLElement>(null);
  const fold = useFold(card);
  const body = useId();
  if (isHidden) return null;
  const { message } = pin;
  return (
    <section class="pin" ref={card} aria-label={TEXTS.chat.pinned}>
      <CardHead
        fold={fold}
        icon={PinIcon}
        label={TEXTS.chat.pinned}
        title={
          <p class="pinned">
            <b>{message.username}</b>: <MessageText message={message} />
          </p>
        }
        texts={{ fold: TEXTS.chat.foldCard, unfold: TEXTS.chat.unfoldPin }}
        body={body}
      />
      <p id={body} class="choices" hidden={fold.isFolded}>
        <button type="button" class="quiet" onClick={() => hide(true)}>
          {TEXTS.hide}
        </button>
        {onUnpin && (
          <button type="button" class="quiet" onClick={onUnpin}>
            {TEXTS.chat.unpin}
          </button>
        )}
      </p>
    </section>
  );
}
