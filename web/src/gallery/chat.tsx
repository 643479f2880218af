import { Ballot } from "../chat/ballot.tsx";
import { lineActs } from "../chat/line-acts.ts";
import { Lines, lineOf } from "../chat/lines.ts";
import { MessageList } from "../chat/message-list.tsx";
import { PinCard } from "../chat/pin-card.tsx";
import { PollCard } from "../chat/poll-card.tsx";
import type { Poll } from "../chat/room-poll.ts";
import type { Schemas } from "../site/page-data.ts";
import { ADA, HOSTILE, LONG, messageOf, nothing, pollOf, WIDE } from "./made-up.ts";
import { Shelf, Specimen } from "./specimen.tsx";

const SAID: Partial<Schemas["ChatMessage"]>[] = [
  {},
  { content: HOSTILE },
  { content: LONG, username: WIDE.username },
  { content: "see https://example.com/a/b?c=d, @ada" },
  { content: "waves", type: "action" },
  { content: "Rules are below the player.", type: "announcement" },
  { content: "an answer", reply_to_id: "0", reply_to_user: ADA.username },
  { content: "", is_deleted: true },
  {
    content: "well played",
    type: "tip",
    act: { type: "tip", id: "tip", amount_cents: 500, currency: "USD" },
  },
  {
    content: HOSTILE,
    type: "redemption",
    act: { type: "redemption", id: "redemption", reward_title: LONG.slice(0, 45), cost: 1_000 },
  },
];

function linesOf(): Lines {
  const lines = new Lines();
  for (const [index, change] of SAID.entries())
    lines.add(lineOf(messageOf({ ...change, uuid: String(index) })));
  lines.add({
    kind: "notice",
    key: "notice",
    text: `${WIDE.username} subscribed at tier 3.`,
    authorId: null,
  });
  return lines;
}
const LINES = linesOf();
const ballot = (poll: Poll) => <Ballot poll={poll} vote={nothing} />;
const ACTS = lineActs({ reply: nothing, card: nothing });

/** The chat's lines, and what stands above them. */
export const ChatShelf = () => (
  <Shelf title="Chat">
    <Specimen name="Lines">
      <div class="room">
        <MessageList lines={LINES} label="Lines" badges={new Map()} self={ADA.username} acts={ACTS} />
      </div>
    </Specimen>
    <Specimen name="Pinned message">
      <PinCard
        pin={{ message: messageOf({ content: HOSTILE }), pinned_at: "", expires_at: null }}
        onUnpin={nothing}
      />
    </Specimen>
    <Specimen name="Poll to vote in">
      <PollCard poll={pollOf()} voted={null} voting={{ ballot }} />
    </Specimen>
    <Specimen name="Poll after the vote">
      <PollCard poll={pollOf({ question: HOSTILE })} voted="b" voting={{ ballot }} />
    </Specimen>
    <Specimen name="Poll of a reader who isn't signed in">
      <PollCard poll={pollOf({ question: LONG })} voted={null} voting={{ ballot: null }} />
    </Specimen>
    <Specimen name="Poll that ended">
      <PollCard poll={pollOf({ status: "ended" })} voted="a" voting={{ ballot: null }} />
    </Specimen>
  </Shelf>
);
