import { Pin as PinIcon } from "lucide";
import { useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
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
  if (isHidden) return null;
  const { message } = pin;
  return (
    <section class="pin" aria-label={TEXTS.chat.pinned}>
      <p class="label">
        <Icon of={PinIcon} />
        {TEXTS.chat.pinned}
      </p>
      <p class="pinned">
        <b>{message.username}</b>: <MessageText message={message} />
      </p>
      <p class="choices">
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
