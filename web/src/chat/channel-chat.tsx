import type { components } from "@livecore/client";
import { Component } from "preact";
import { later } from "../components/later.tsx";
import { signInAddress } from "../components/sign-in-first.tsx";
import { ChannelPoints } from "../points/channel-points.ts";
import { PointsBar } from "../points/points-bar.tsx";
import { PredictionSlot } from "../points/prediction-slot.tsx";
import { ReportDialog, type ReportTarget } from "../safety/report-dialog.tsx";
import { member } from "../site/live.ts";
import { problemOf } from "../site/problems.ts";
import { client, me } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { Ballot } from "./ballot.tsx";
import { ChatView } from "./chat-view.tsx";
import type { Known } from "./completion.ts";
import { Composer } from "./composer.tsx";
import { composerTools } from "./composer-tools.tsx";
import { EmoteSets } from "./emote-sets.ts";
import { type LineTools, lineActs } from "./line-acts.ts";
import type { Voting } from "./poll-card.tsx";
import { Room, type RoomPart, type Sampling } from "./room.ts";
import { type FollowOf, UserCard } from "./user-card.tsx";
import "./chat.css";
import "./channel-chat.css";

type ChatMessage = components["schemas"]["ChatMessage"];
/** What a moderators' desk makes of the chat. */
export type ChatDesk = {
  toolsOf(room: Room): LineTools;
  /** Opens a card of its own. */
  openCard(author: { id: string; username: string }): void;
  sampling: Sampling;
};
type Props = {
  streamId: string;
  channelName: string;
  owner: { id: string; username: string };
  followOf: FollowOf;
  /** What else follows the room. */
  parts?: readonly RoomPart[];
  /** Whether the page beside it shows the room's poll and prediction. */
  hasPanelsBeside?: boolean;
  desk?: ChatDesk;
};
/** `card`: whose user's card is open, by a message of theirs. */
type State = { reply: ChatMessage | null; card: ChatMessage | null; report: ReportTarget | null };

const BannedNotice = later(async () => (await import("./unban/banned-notice.tsx")).BannedNotice);

/** Names of the last speakers that a draft is completed with. */
const MOST_NAMES = 100;

/** The chat of a channel on its own page: whoever is signed in to the site may write. Keyed by the user, since a room is read as somebody. */
export class ChannelChat extends Component<Props, State> {
  override state: State = { reply: null, card: null, report: null };
  readonly #emotes = new EmoteSets(client, this.props.streamId, this.props.owner.username);
  readonly #room: Room = new Room(
    member(),
    this.props.streamId,
    {
      change: () => this.forceUpdate(),
      end: () => this.#room.end(),
      emotes: () => this.#emotes.changed(),
    },
    {
      marksDeleted: true,
      ...(this.props.parts && { parts: this.props.parts }),
      ...(this.props.desk && { sampling: this.props.desk.sampling }),
    },
  );
  /** Of a viewer: moderators at their desk have none. */
  readonly #points = this.props.desk
    ? null
    : new ChannelPoints(
        member(),
        { userId: this.props.owner.id, username: this.props.owner.username, streamId: this.props.streamId },
        me.value?.id ?? null,
      );
  // The same each time: what the room says renders none of it.
  readonly #cards = this.#points && !this.props.hasPanelsBeside && (
    <PredictionSlot points={this.#points} hasAccount={Boolean(me.value)} />
  );
  readonly #below = this.#points && <PointsBar points={this.#points} />;
  /** Whose name opened the card: it gets the focus back. */
  #opener: HTMLElement | null = null;

  override componentWillUnmount(): void {
    this.#room.close();
    this.#points?.close();
  }

  readonly #reply = (reply: ChatMessage): void => {
    if (me.value) this.setState({ reply });
    else location.assign(signInAddress());
  };
  readonly #endReply = (): void => {
    if (this.state.reply) this.setState({ reply: null });
  };
  readonly #acts = lineActs(
    {
      reply: this.#reply,
      card: (card, from) => {
        const { desk } = this.props;
        if (desk) return desk.openCard({ id: card.user_id, username: card.username });
        this.#opener = from;
        this.setState({ card });
      },
    },
    this.props.desk?.toolsOf(this.#room),
  );
  readonly #closeCard = (): void => {
    this.setState({ card: null });
    // Its line may be gone meanwhile.
    if (this.#opener?.isConnected) this.#opener.focus();
  };

  readonly #known = (): Known => {
    this.#emotes.need();
    const speakers = this.#room.lines.all
      .flatMap((line) => (line.kind === "message" ? [line.message.username] : []))
      .reverse();
    const names = [...new Set(speakers)].slice(0, MOST_NAMES);
    return { role: this.#room.role, names, emotes: this.#emotes.usable };
  };

  readonly #vote = async (pollId: string, optionId: string): Promise<void> => {
    try {
      await this.#room.polls.vote(pollId, optionId);
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };
  readonly #voting: Voting = { ballot: (poll) => <Ballot poll={poll} vote={this.#vote} /> };
  readonly #votingNot: Voting = { ballot: null };

  readonly #unpin = async (): Promise<void> => {
    try {
      await client.call("unpinChatMessage", { path: { stream_id: this.props.streamId } });
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  };

  render(
    { streamId, channelName, followOf, hasPanelsBeside = false }: Props,
    { reply, card, report }: State,
  ) {
    const room = this.#room;
    const user = me.value;
    const tools = composerTools({
      room,
      reply,
      onReply: this.#reply,
      onReplyEnd: this.#endReply,
      emotes: this.#emotes,
      known: this.#known,
    });
    return (
      <>
        <ChatView
          isLossSaid
          room={room}
          channelName={channelName}
          voting={user ? this.#voting : this.#votingNot}
          self={user ? user.username : null}
          acts={this.#acts}
          onUnpin={room.isModerated ? this.#unpin : null}
          cards={this.#cards}
          hasPoll={!hasPanelsBeside}
          below={this.#below}
          composer={
            user && room.waits?.banned ? (
              <BannedNotice streamId={streamId} channelName={channelName} />
            ) : (
              <Composer
                room={room}
                modes={room.modes}
                waits={room.waits}
                speaker={user ? { username: user.username } : null}
                ended={null}
                onSignIn={() => location.assign(signInAddress())}
                onLeave={null}
                tools={tools}
              />
            )
          }
        />
        {card && (
          <UserCard
            key={card.uuid}
            room={room}
            message={card}
            followOf={followOf}
            onReply={(reply) => {
              this.setState({ card: null });
              this.#reply(reply);
            }}
            onReport={(target) => this.setState({ card: null, report: target })}
            onClose={this.#closeCard}
          />
        )}
        {report && <ReportDialog target={report} onClose={() => this.setState({ report: null })} />}
      </>
    );
  }
}
