import { ChartNoAxesColumn, Check, type IconNode, Trophy } from "lucide";
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Countdown } from "../components/countdown.tsx";
import { CardHead, useFold } from "../components/folding.tsx";
import { Icon } from "../components/icon.tsx";
import { TEXTS } from "../texts/embedded.ts";
import type { Poll } from "./room-poll.ts";

type Option = Poll["options"][number];

/** What a reader votes with, which embeds don't load; null for readers who have to sign in first. */
export type Voting = { ballot: ((poll: Poll) => ComponentChildren) | null };

type Props = {
  poll: Poll;
  /** The option for which the reader has voted; null for none. */
  voted: string | null;
  /** Null where nobody can vote. */
  voting: Voting | null;
};

/** A poll: its options to vote for, then how many votes each has. Readers with a voice may hide it, until its result. */
export function PollCard({ poll, voted, voting }: Props) {
  const [isHidden, hide] = useState(false);
  const card = useRef<HTMLElement>(null);
  const fold = useFold(card);
  const body = useId();
  if (isHidden) return null;
  const total = poll.total_votes ?? 0;
  const isOpen = poll.status !== "ended";
  const ballot = isOpen && voted === null ? voting?.ballot : null;
  return (
    <section class="poll" ref={card} tabIndex={-1} aria-label={TEXTS.chat.poll}>
      <CardHead
        fold={fold}
        icon={ChartNoAxesColumn}
        label={TEXTS.chat.poll}
        title={<h2 dir="auto">{poll.question}</h2>}
        state={
          isOpen ? (
            <>
              {TEXTS.chat.pollEnds} <Countdown until={Date.parse(poll.ends_at)} />
            </>
          ) : (
            TEXTS.chat.pollEnded
          )
        }
        texts={{ fold: TEXTS.chat.foldCard, unfold: TEXTS.chat.unfoldPoll }}
        body={body}
      />
      <div id={body} hidden={fold.isFolded}>
        {ballot ? ballot(poll) : <PollResult poll={poll} total={total} voted={voted} />}
        <p>{TEXTS.chat.votes(total)}</p>
        {isOpen && voting === null && <p>{TEXTS.chat.pollHint}</p>}
        {isOpen && voting?.ballot === null && <p>{TEXTS.chat.signInToVote}</p>}
        {voting && (
          <button type="button" class="quiet hide" onClick={() => hide(true)}>
            {TEXTS.hide}
          </button>
        )}
      </div>
    </section>
  );
}

/** How many votes each option has. */
export function PollResult({ poll, total, voted }: { poll: Poll; total: number; voted: string | null }) {
  const most = Math.max(...poll.options.map(({ votes = 0 }) => votes));
  // Of several with the same votes each has won; without any vote none has.
  const hasWon = ({ votes = 0 }: Option) => poll.status === "ended" && votes > 0 && votes === most;
  return (
    <ul>
      {poll.options.map((option) => (
        <li key={option.id} data-own={option.id === voted} data-winner={hasWon(option)}>
          <span dir="auto">
            {option.text}
            {hasWon(option) && <Mark icon={Trophy} text={TEXTS.chat.pollWinner} />}
            {option.id === voted && <Mark icon={Check} text={TEXTS.chat.ownVote} />}
          </span>
          <meter min={0} max={Math.max(1, total)} value={option.votes ?? 0} />
          <span class="share">
            {option.votes === undefined ? "" : TEXTS.chat.pollShare(option.votes, total)}
          </span>
        </li>
      ))}
    </ul>
  );
}

const Mark = ({ icon, text }: { icon: IconNode; text: string }) => (
  <span class="mark" title={text}>
    <Icon of={icon} />
    <span class="aloud">{text}</span>
  </span>
);
