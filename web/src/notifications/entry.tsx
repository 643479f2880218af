import { Check, Trash2 } from "lucide";
import { Icon } from "../components/icon.tsx";
import { formatMoment, formatRecent } from "../formats/dates.ts";
import { serverNow } from "../site/service-clock.ts";
import { TEXTS } from "../texts/texts.ts";
import type { NotificationList } from "./list.ts";
import { iconOf, type Notification, placeOf, textOf } from "./said.ts";

type Props = { notification: Notification; list: Pick<NotificationList, "read" | "remove"> };

/** One notification. Opening where it leads reads it. */
export function Entry({ notification, list }: Props) {
  const { notifications } = TEXTS;
  const { is_read } = notification;
  const text = textOf(notification);
  const place = placeOf(notification);
  const read = (): void => {
    if (!is_read) void list.read(notification);
  };
  return (
    <li data-read={is_read}>
      {place === null ? (
        <div class="said">
          <Said notification={notification} text={text} />
        </div>
      ) : (
        <a class="said" href={place} onClick={read} onAuxClick={read}>
          <Said notification={notification} text={text} />
        </a>
      )}
      {!is_read && (
        <button
          type="button"
          class="act"
          aria-label={notifications.actOn(notifications.read, text)}
          onClick={({ currentTarget }) => {
            // The button goes; the focus stays beside it.
            focusOn(currentTarget.nextElementSibling);
            read();
          }}
        >
          <Icon of={Check} />
        </button>
      )}
      <button
        type="button"
        class="act"
        aria-label={notifications.actOn(notifications.delete, text)}
        onClick={({ currentTarget }) => {
          const entry = currentTarget.closest("li");
          focusOn((entry?.nextElementSibling ?? entry?.previousElementSibling)?.querySelector("a, button"));
          void list.remove(notification);
        }}
      >
        <Icon of={Trash2} />
      </button>
    </li>
  );
}

function focusOn(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus();
}

/** Its picture, text and time. */
function Said({ notification, text }: { notification: Notification; text: string }) {
  const { image_url, created_at, is_read } = notification;
  const icon = iconOf(notification);
  return (
    <>
      <span class="face">
        {image_url === undefined ? null : <img class="avatar" src={image_url} alt="" loading="lazy" />}
        {icon && (
          <span class="sign" data-alone={image_url === undefined}>
            <Icon of={icon} />
          </span>
        )}
      </span>
      <span class="words">
        <span dir="auto">{text}</span>
        <span class="quiet">
          <time dateTime={created_at} title={formatMoment(created_at)}>
            {formatRecent(created_at, serverNow())}
          </time>
          {!is_read && <span class="new">{TEXTS.notifications.isNew}</span>}
        </span>
      </span>
    </>
  );
}
