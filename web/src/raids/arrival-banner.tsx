import { useEffect } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { NoticeBar } from "../components/notice-bar.tsx";
import { to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";
import { arrival } from "./arrival.ts";

const hide = () => {
  arrival.value = null;
};

/** Says with whose raid the reader came to this channel, and leads back. */
export function ArrivalBanner({ userId }: { userId: string }) {
  const came = arrival.value?.targetUserId === userId ? arrival.value : null;
  // It is about this visit alone.
  useEffect(
    () => () => {
      if (arrival.peek()?.targetUserId === userId) hide();
    },
    [userId],
  );
  if (!came) return null;
  const { raids, close } = TEXTS;
  return (
    <NoticeBar label={raids.label}>
      <p role="status" dir="auto">
        {raids.arrived(nameOf(came.from))}
      </p>
      <a class="button quiet" href={to(came.from.username)}>
        {raids.goBack}
      </a>
      <button type="button" class="button quiet" onClick={hide}>
        {close}
      </button>
    </NoticeBar>
  );
}
