import { useMemo, useState } from "preact/hooks";
import { PollResult } from "../../../chat/poll-card.tsx";
import type { Poll } from "../../../chat/room-poll.ts";
import { Countdown } from "../../../components/countdown.tsx";
import { laterDialog } from "../../../components/later.tsx";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { AttemptKey } from "../../../site/attempt-key.ts";
import type { Schemas } from "../../../site/page-data.ts";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Panel } from "../../panel.tsx";
import type { Desk } from "../desk.ts";
import { StartActions } from "../questions/start-actions.tsx";

const NewPoll = laterDialog(async () => (await import("./new-poll.tsx")).NewPoll);

/** The channel's poll with its votes as they come, and its end; without one, the way to the next. */
export function PollPanel({ desk }: { desk: Desk }) {
  const texts = CONSOLE_TEXTS.stream.poll;
  const [isMaking, make] = useState(false);
  const key = useMemo(() => new AttemptKey(), []);
  const { value: poll } = desk.poll;
  const { value: last } = desk.lastPoll;
  /** Throws the LivecoreError that refused it. */
  const open = async (body: Schemas["NewPoll"]): Promise<void> => {
    const request = { path: { stream_id: desk.streamId }, body };
    const opened = await key.once(request, (idempotencyKey) =>
      client.call("createPoll", { ...request, idempotencyKey }),
    );
    desk.polls.known(opened);
  };
  const again = useSubmit(async () => {
    if (last) await open(sameAs(last));
  });
  return (
    <Panel title={texts.title} kind="of-poll">
      {poll && <Votes poll={poll} />}
      {poll?.status === "active" ? (
        <End key={poll.id} poll={poll} onEnded={(ended) => desk.polls.known(ended)} />
      ) : (
        <>
          {!poll && <p class="quiet">{texts.none}</p>}
          <StartActions
            make={texts.make}
            onMake={() => make(true)}
            last={last?.question ?? null}
            again={again}
          />
        </>
      )}
      {isMaking && <NewPoll onOpen={open} onClose={() => make(false)} />}
    </Panel>
  );
}

function Votes({ poll }: { poll: Poll }) {
  const { chat } = TEXTS;
  const total = poll.total_votes ?? 0;
  const isOpen = poll.status === "active";
  return (
    <div class="poll">
      <h3 dir="auto">{poll.question}</h3>
      <p>
        <span role="status">{isOpen ? "" : chat.pollEnded}</span>
        {isOpen && (
          <>
            {chat.pollEnds} <Countdown until={Date.parse(poll.ends_at)} />
          </>
        )}
        {" · "}
        {chat.votes(total)}
      </p>
      <PollResult poll={poll} total={total} voted={null} />
    </div>
  );
}

function End({ poll, onEnded }: { poll: Poll; onEnded: (poll: Poll) => void }) {
  const { isBusy, refusal, submit } = useSubmit(async () => {
    onEnded(await client.call("endPoll", { path: { poll_id: poll.id } }));
  });
  return (
    <>
      <Refused refusal={refusal} />
      <div class="actions">
        <button type="button" class="button quiet" aria-disabled={isBusy} onClick={() => void submit()}>
          {CONSOLE_TEXTS.stream.poll.end}
        </button>
      </div>
    </>
  );
}

const sameAs = ({ question, options, duration_sec }: Poll): Schemas["NewPoll"] => ({
  question,
  options: options.map(({ text }) => text),
  duration_sec: duration_sec ?? 60,
});
