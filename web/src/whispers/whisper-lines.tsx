import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { Loaded } from "../components/loaded.tsx";
import { formatMoment, formatRecent } from "../formats/dates.ts";
import { useNewestFirst } from "../site/newest-first.ts";
import type { Schemas } from "../site/page-data.ts";
import { serverNow } from "../site/service-clock.ts";
import { userId } from "../site/session.ts";
import { useUserTopic, whenMissed } from "../site/user-topic.ts";
import { TEXTS } from "../texts/texts.ts";
import { inSight, readConversation } from "./conversations.ts";

type Whisper = Schemas["Whisper"];
const idOf = ({ id }: Whisper): number => id;
/** Within this distance the reader is at the newest. */
const NEAR_PX = 40;

/** The whispers with a user, the newest at the end. They count as read while they are in front of the reader. */
export function WhisperLines({ user }: { user: Schemas["PublicProfile"] }) {
  const { whispers } = TEXTS;
  const { items, change, ...pages } = useNewestFirst("listWhispers", { path: { user_id: user.id } }, idOf);
  const isKnown = useRef(false);
  isKnown.current = pages.first.data !== undefined;
  useUserTopic(
    (topic) => [
      ...whenMissed(topic, pages.first.again, () => isKnown.current),
      topic.on("whisper", ({ data }) => {
        if (data.sender_id !== user.id && data.recipient_id !== user.id) return;
        change((before) => [data, ...before]);
      }),
    ],
    user.id,
  );
  useReading(user.id, items);
  const box = useStaying(items);
  const name = nameOf(user);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by the keyboard
    <div class="lines" ref={box} tabIndex={0} role="log" aria-label={whispers.with(name)}>
      <Loaded read={pages.first}>
        {() => (
          <>
            {pages.hasMore ? (
              <div class="older">
                {pages.problem !== null && <p role="alert">{whispers.olderFailed(pages.problem)}</p>}
                <button
                  type="button"
                  class="button quiet"
                  aria-disabled={pages.isLoading}
                  onClick={pages.more}
                >
                  {pages.isLoading ? TEXTS.loading : whispers.older}
                </button>
              </div>
            ) : (
              <p class="older quiet">{whispers.first(name)}</p>
            )}
            <ol>
              {items.toReversed().map((whisper) => (
                <Line key={whisper.id} whisper={whisper} name={name} />
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Line({ whisper, name }: { whisper: Whisper; name: string }) {
  const isOwn = whisper.sender_id === userId.value;
  return (
    <li data-own={isOwn}>
      {isOwn ? <span class="aloud">{TEXTS.whispers.fromYou}</span> : <bdi class="aloud">{name}</bdi>}
      <p dir="auto">{whisper.content}</p>
      <time class="quiet" dateTime={whisper.created_at} title={formatMoment(whisper.created_at)}>
        {formatRecent(whisper.created_at, serverNow())}
      </time>
    </li>
  );
}

/** Marks whispers as read: at once while the page is visible, otherwise when it becomes so. */
function useReading(otherId: string, items: readonly Whisper[]): void {
  const newest = items.find(({ sender_id }) => sender_id === otherId)?.id;
  useEffect(() => {
    const see = (): void => {
      const isVisible = document.visibilityState === "visible";
      inSight.value = isVisible ? otherId : null;
      if (isVisible && newest !== undefined) readConversation(otherId);
    };
    see();
    document.addEventListener("visibilitychange", see);
    return () => {
      document.removeEventListener("visibilitychange", see);
      inSight.value = null;
    };
  }, [otherId, newest]);
}

/** Stays at the newest, or where the reader is while older ones are added above. */
function useStaying(items: readonly Whisper[]) {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef({ newest: 0, count: 0, fromEnd: 0 });
  useEffect(() => {
    const element = box.current;
    const keep = (): void => {
      if (element) last.current.fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight;
    };
    element?.addEventListener("scroll", keep, { passive: true });
    // A phone's keyboard makes the box smaller.
    const resized = new ResizeObserver(() => {
      if (element && last.current.fromEnd < NEAR_PX) element.scrollTop = element.scrollHeight;
    });
    if (element) resized.observe(element);
    return () => {
      element?.removeEventListener("scroll", keep);
      resized.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { newest, count, fromEnd } = last.current;
    const isOlder = items.length > count && items[0]?.id === newest;
    if (isOlder || fromEnd < NEAR_PX)
      element.scrollTop = element.scrollHeight - element.clientHeight - (isOlder ? fromEnd : 0);
    last.current = { ...last.current, newest: items[0]?.id ?? 0, count: items.length };
  }, [items]);
  return box;
}
