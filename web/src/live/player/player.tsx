import { Component, createRef } from "preact";
import type { Member } from "../../site/connection.ts";
import { TEXTS } from "../../texts/embedded.ts";
import { Audience, type Broadcast } from "./audience.ts";
import { Card } from "./card.tsx";
import { Controls, type Stage } from "./controls.tsx";
import { toggleFullscreen } from "./fullscreen.ts";
import { acceptsKey } from "./keys.ts";
import { LiveVideo, type Picture } from "./video.ts";

export type PlayerProps = {
  member: Member;
  streamId: string;
  /** As the channel spells it; untrusted text. */
  channelName: string;
  /** Whether it starts by itself. */
  isAutomatic: boolean;
  /** At the start. Browsers allow autoplay when the video is muted. */
  isMuted: boolean;
  /** What the page shows besides the picture. */
  onBroadcast?: (changed: Partial<Broadcast>) => void;
  /** The page around it, which can give it more room; null if it fills its page. */
  stage?: Stage | null;
  /** Makes a clip of what is shown; null for viewers who can't. */
  onClip?: (() => void) | null;
  /** Whether the page around it says that the connection is lost. */
  isLossSaid?: boolean;
  /** Whether who looks at it counts as a viewer; by default, they do. */
  isCounted?: boolean;
  /** While something above it has the sound. */
  isSilenced?: boolean;
  /** 0 to 1, at the start. */
  volume?: number;
  /** What the viewer has chosen. */
  onSound?: (sound: { volume: number; isMuted: boolean }) => void;
};
type State = Broadcast & { picture: Picture; isPaused: boolean; isMuted: boolean; volume: number };

const VOLUME_STEP = 0.1;

/** The live broadcast of one channel, or a note that it is offline. */
export class Player extends Component<PlayerProps, State> {
  override state: State = {
    isLive: null,
    viewers: 0,
    since: null,
    isGone: false,
    isOffline: false,
    picture: this.props.isAutomatic ? "starting" : "waiting",
    isPaused: true,
    isMuted: this.props.isMuted,
    volume: this.props.volume ?? 1,
  };
  readonly #frame = createRef<HTMLElement>();
  readonly #element = createRef<HTMLVideoElement>();
  #video: LiveVideo | null = null;
  #audience: Audience | null = null;
  /** Before it was silenced. */
  #wasMuted = false;
  /** The last one above 0. */
  #audible = this.props.volume || 1;

  override componentDidMount(): void {
    const { member, streamId } = this.props;
    const video = this.#element.current;
    if (!video) return;
    document.addEventListener("keydown", this.#key);
    video.volume = this.state.volume;
    const sees = () => {
      this.setState({ isPaused: video.paused, isMuted: video.muted, volume: video.volume });
    };
    for (const event of ["play", "pause", "volumechange"]) video.addEventListener(event, sees);
    const { isCounted = true } = this.props;
    const counts = () => this.#audience?.watching(isCounted && !video.paused && this.state.isLive === true);
    // "playing" also fires each time the buffer has filled again.
    for (const event of ["playing", "pause", "emptied"]) video.addEventListener(event, counts);
    this.#video = new LiveVideo(video, {
      client: member.client,
      streamId,
      onPicture: (picture) => this.setState({ picture }),
      onQualities: () => this.forceUpdate(),
      onSince: (since) => this.#update({ since }),
    });
    this.#audience = new Audience(member, streamId, (changed) => this.#update(changed));
  }

  override componentDidUpdate({ isSilenced = false }: PlayerProps): void {
    const video = this.#element.current;
    const isNow = this.props.isSilenced ?? false;
    if (!video || isNow === isSilenced) return;
    if (isNow) this.#wasMuted = video.muted;
    video.muted = isNow || this.#wasMuted;
  }

  override componentWillUnmount(): void {
    document.removeEventListener("keydown", this.#key);
    this.#video?.stop();
    this.#audience?.close();
  }

  #update(changed: Partial<Broadcast>): void {
    this.setState(changed);
    this.props.onBroadcast?.(changed);
    if (changed.isOffline === false) this.#video?.retryNow();
    if (changed.isLive === true && this.props.isAutomatic) this.#video?.start();
    if (changed.isLive === false || changed.isGone) {
      this.#audience?.watching(false);
      this.#video?.stop();
      if (!this.props.isAutomatic) this.setState({ picture: "waiting" });
    }
  }

  readonly #toggle = (): void => {
    const video = this.#element.current;
    if (!video || !this.state.isLive) return;
    const { picture } = this.state;
    // During a retry after a failure the element is paused, although the viewer didn't pause it.
    const isStopped = picture === "waiting" || (picture === "playing" && video.paused) || this.#video?.isHeld;
    if (isStopped) this.#video?.play();
    else this.#video?.pause();
  };

  readonly #mute = (): void => {
    const video = this.#element.current;
    if (!video) return;
    video.muted = !video.muted;
    if (!video.muted && video.volume === 0) video.volume = this.#audible;
    this.#soundChosen(video);
  };

  /** From silence it begins at the lowest step. */
  #louder(step: number): void {
    const video = this.#element.current;
    if (video) this.#setVolume((video.muted ? 0 : video.volume) + step);
  }

  readonly #setVolume = (volume: number): void => {
    const video = this.#element.current;
    if (!video) return;
    video.volume = Math.min(1, Math.max(0, volume));
    video.muted = video.volume === 0;
    // Here, and not at "volumechange", which comes later, maybe once the volume is another.
    if (video.volume > 0) this.#audible = video.volume;
    this.#soundChosen(video);
  };

  #soundChosen({ muted: isMuted }: HTMLVideoElement): void {
    this.props.onSound?.({ volume: this.#audible, isMuted });
  }

  readonly #pictureInPicture = (): void => {
    const change = document.pictureInPictureElement
      ? document.exitPictureInPicture()
      : this.#element.current?.requestPictureInPicture();
    // There is no picture yet.
    change?.catch(() => undefined);
  };

  readonly #fullscreen = (): void => toggleFullscreen(this.#frame.current);

  readonly #choose = (index: number): void => {
    this.#video?.choose(index);
    this.forceUpdate();
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (!acceptsKey(event)) return;
    const acts: Record<string, () => void> = {
      " ": this.#toggle,
      k: this.#toggle,
      m: this.#mute,
      f: this.#fullscreen,
      ...(this.props.stage && { t: this.props.stage.onTheatre }),
      ...(this.props.onClip && this.state.isLive && { c: this.props.onClip }),
      ArrowUp: () => this.#louder(VOLUME_STEP),
      ArrowDown: () => this.#louder(-VOLUME_STEP),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  render(props: PlayerProps, state: State) {
    const { channelName, isAutomatic, isLossSaid = false, stage = null, onClip = null } = props;
    const { isLive, isOffline, picture } = state;
    const isStale = isOffline || picture === "stalled" || picture === "failed";
    return (
      <section class="player" ref={this.#frame} aria-label={TEXTS.player.label(channelName)}>
        <video ref={this.#element} muted={state.isMuted} playsInline onClick={this.#toggle} />
        <Card
          {...state}
          isOffline={isOffline && !isLossSaid}
          channelName={channelName}
          isAutomatic={isAutomatic}
          onPlay={this.#toggle}
        />
        {isLive && (
          <Controls
            {...state}
            isStale={isStale}
            video={this.#video}
            onToggle={this.#toggle}
            onMute={this.#mute}
            onVolume={this.#setVolume}
            onQuality={this.#choose}
            onFullscreen={this.#fullscreen}
            stage={stage}
            onClip={onClip}
            onPictureInPicture={this.#pictureInPicture}
          />
        )}
      </section>
    );
  }
}
