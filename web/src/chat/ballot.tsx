import { useLayoutEffect, useRef } from "preact/hooks";
import { useOneAtATime } from "../components/one-at-a-time.ts";
import type { Poll } from "./room-poll.ts";

type Props = {
  poll: Poll;
  /** Says itself what refused it. */
  vote: (pollId: string, optionId: string) => Promise<void>;
};

/** The options of a poll as buttons, until one is pressed: then the poll's card has the focus, as it shows the result. */
export function Ballot({ poll, vote }: Props) {
  const { isBusy, run } = useOneAtATime();
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const [ballot, card] = [list.current, list.current?.closest("section")];
    return () => {
      if (ballot?.contains(document.activeElement)) card?.focus();
    };
  }, []);
  return (
    <ul class="ballot" ref={list}>
      {poll.options.map(({ id, text }) => (
        <li key={id}>
          <button
            type="button"
            dir="auto"
            aria-disabled={isBusy}
            onClick={() => void run(() => vote(poll.id, id))}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
