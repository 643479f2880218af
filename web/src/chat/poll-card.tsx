import { Check } from "lucide";
import { useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { TEXTS } from "../texts/texts.ts";
import type { Poll } from "./room-poll.ts";

/** How a reader votes. `vote` throws the LivecoreError that refused it; null for readers who have to sign in first. */
export type Voting = { vote: ((pollId: string, optionId: string) => Promise<void>) | null };

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
  if (isHidden) return null;
  const total = poll.total_votes ?? 0;
  const isOpen = poll.status !== "ended";
  const vote = isOpen && voted === null ? voting?.vote : undefined;
  return (
    <section class="poll" aria-label={TEXTS.chat.poll}>
      <h2 dir="auto">{poll.question}</h2>
      {vote ? <Ballot poll={poll} vote={vote} /> : <Result poll={poll} total={total} voted={voted} />}
      <p>{isOpen ? TEXTS.chat.votes(total) : TEXTS.chat.pollEnded}</p>
      {isOpen && voting === null && <p>{TEXTS.chat.pollHint}</p>}
      {isOpen && voting?.vote === null && <p>{TEXTS.chat.signInToVote}</p>}
      {voting && (
        <button type="button" class="quiet hide" onClick={() => hide(true)}>
          {TEXTS.hide}
        </button>
      )}
    </section>
  );
}

function Ballot({ poll, vote }: { poll: Poll; vote: NonNullable<Voting["vote"]> }) {
  const [isBusy, setBusy] = useState(false);
  const choose = async (optionId: string): Promise<void> => {
    setBusy(true);
    await vote(poll.id, optionId);
    setBusy(false);
  };
  return (
    <ul class="ballot">
      {poll.options.map(({ id, text }) => (
        <li key={id}>
          <button type="button" dir="auto" disabled={isBusy} onClick={() => void choose(id)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Result({ poll, total, voted }: { poll: Poll; total: number; voted: string | null }) {
  return (
    <ul>
      {poll.options.map((option) => (
        <li key={option.id} data-own={option.id === voted}>
          <span dir="auto">
            {option.text}
            {option.id === voted && (
              <span class="own-vote" title={TEXTS.chat.ownVote}>
                <Icon of={Check} />
                <span class="aloud">{TEXTS.chat.ownVote}</span>
              </span>
            )}
          </span>
          <meter min={0} max={Math.max(1, total)} value={option.votes ?? 0} />
          <span>{option.votes ?? ""}</span>
        </li>
      ))}
    </ul>
  );
}
