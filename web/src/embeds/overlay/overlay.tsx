import { Component } from "preact";
import { RoomPoll } from "../../chat/room-poll.ts";
import { ChannelPrediction } from "../../points/prediction.ts";
import { overlayTexts } from "../../texts/en/overlay.ts";
import { AlertSource } from "./alert-source.ts";
import { Alerts } from "./alerts.tsx";
import { ChatLines } from "./chat-lines.tsx";
import { OverlayLink } from "./link.ts";
import { PollBars, PredictionBars } from "./questions.tsx";
import type { ShownOverlay } from "./settings.ts";

type Props = { token: string };
/** `overlay`: null before the first answer, and once the link has ended. */
type State = { overlay: ShownOverlay | null };

/** What a link shows: nothing until it is known what that is, and nothing when it has ended. */
export class Overlay extends Component<Props, State> {
  override state: State = { overlay: null };
  readonly #link = new OverlayLink(this.props.token, (overlay) => this.setState({ overlay }));

  render(_: Props, { overlay }: State) {
    if (!overlay) return null;
    const link = this.#link;
    return (
      <main class="overlay" data-kind={overlay.kind} data-theme={overlay.settings.theme}>
        {/* A question is a heading itself. */}
        {(overlay.kind === "chat" || overlay.kind === "alerts") && (
          <h1 class="aloud">{overlayTexts.titles[overlay.kind]}</h1>
        )}
        {overlay.kind === "chat" && (
          <ChatLines member={link.member} streamId={overlay.stream_id} settings={overlay.settings} />
        )}
        {overlay.kind === "alerts" && <OwnAlerts link={link} overlay={overlay} />}
        {overlay.kind === "prediction" && <OwnPrediction link={link} overlay={overlay} />}
        {overlay.kind === "poll" && <OwnPoll link={link} overlay={overlay} />}
      </main>
    );
  }
}

type PartProps = { link: OverlayLink; overlay: ShownOverlay };

class OwnAlerts extends Component<PartProps, { news: number }> {
  override state = { news: 0 };
  readonly #source = new AlertSource(this.props.link, this.props.overlay, () =>
    this.setState(({ news }) => ({ news: news + 1 })),
  );

  /** Its settings were read again, as every few minutes, or have changed. */
  override componentDidUpdate({ overlay }: PartProps): void {
    if (overlay !== this.props.overlay) this.#source.readSoon();
  }
  override componentWillUnmount(): void {
    this.#source.close();
  }

  render({ overlay: { settings } }: PartProps, { news }: { news: number }) {
    const source = this.#source;
    return (
      <Alerts
        settings={settings}
        news={news}
        next={() => source.next()}
        now={(shown) => source.asListed(shown)}
      />
    );
  }
}

class OwnPrediction extends Component<PartProps> {
  readonly #prediction = new ChannelPrediction(this.props.link.member.client, this.props.overlay.stream_id);
  #ends: (() => void)[] = [];

  override componentDidMount(): void {
    const { link, overlay } = this.props;
    this.#ends = [
      ...this.#prediction.follow(link.live.subscribe(`chat:${overlay.stream_id}`)),
      this.#prediction.shown.subscribe(() => this.forceUpdate()),
    ];
  }
  override componentWillUnmount(): void {
    for (const end of this.#ends) end();
    this.#prediction.close();
  }

  render() {
    const prediction = this.#prediction.shown.value;
    return prediction && <PredictionBars key={prediction.id} prediction={prediction} />;
  }
}

class OwnPoll extends Component<PartProps> {
  readonly #polls = new RoomPoll(this.props.overlay.stream_id, {
    member: () => this.props.link.member,
    change: () => this.forceUpdate(),
  });
  #ends: (() => void)[] = [];

  override componentDidMount(): void {
    const { link, overlay } = this.props;
    this.#ends = this.#polls.follow(link.live.subscribe(`chat:${overlay.stream_id}`));
  }
  override componentWillUnmount(): void {
    for (const end of this.#ends) end();
    this.#polls.close();
  }

  render() {
    const { poll } = this.#polls;
    return poll && <PollBars key={poll.id} poll={poll} />;
  }
}
