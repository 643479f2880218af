import { Component, createRef } from "preact";
import { TEXTS } from "../texts.ts";
import { LineView } from "./line-view.tsx";
import type { Line, Lines } from "./lines.ts";

/** The least height of a line in CSS pixels: so many fit at most. */
const LINE_PX = 22;
/** Nearer to the end than this counts as at the end. */
const AT_END_PX = 30;
/** A reader's window moves when its edge is nearer than this. */
const EDGE_PX = 400;
/** As many lines within that time are too much to be read aloud. */
const ALOUD = { lines: 10, withinMs: 10_000 };
const UPWARD = new Set(["ArrowUp", "PageUp", "Home"]);

type Props = { lines: Lines; label: string };
/** The `no` of the document's first line; null while it follows what is said. */
type State = { from: number | null; fit: number };
/** The lines in sight, and where they are. */
type Places = { key: string; top: number }[];

/**
 * The lines that are seen, and few besides, are in the document. It follows what is said until the reader scrolls up; then
 * it stands still, however busy the chat is and whatever is deleted, and says how much is new.
 */
export class MessageList extends Component<Props, State> {
  override state: State = { from: null, fit: 40 };
  readonly #list = createRef<HTMLUListElement>();
  #sizes: ResizeObserver | null = null;
  /** How many lines there had been when the reader began to look back. */
  #since = 0;
  /** How far down the list was last. */
  #top = 0;

  override componentDidMount(): void {
    const list = this.#list.current;
    if (!list) return;
    this.#sizes = new ResizeObserver(() =>
      this.setState({ fit: Math.ceil(list.clientHeight / LINE_PX) + 4 }),
    );
    this.#sizes.observe(list);
  }

  override componentWillUnmount(): void {
    this.#sizes?.disconnect();
  }

  override getSnapshotBeforeUpdate(): Places {
    const list = this.#list.current;
    if (!list || this.state.from === null) return [];
    const { top, bottom } = list.getBoundingClientRect();
    return [...list.querySelectorAll<HTMLElement>("[data-key]")]
      .map((line) => ({ key: line.dataset.key ?? "", place: line.getBoundingClientRect() }))
      .filter(({ place }) => place.bottom > top && place.top < bottom)
      .map(({ key, place }) => ({ key, top: place.top }));
  }

  override componentDidUpdate(_props: Props, _state: State, before: Places): void {
    const list = this.#list.current;
    if (!list) return;
    if (this.state.from === null) this.#toEnd(list);
    else if (!this.#isHeld) this.#follow();
    else this.#keepInPlace(list, before);
  }

  /** False when all that was there to be read is gone: the chat was cleared, or begins anew after a gap. */
  get #isHeld(): boolean {
    const [first] = this.props.lines.all;
    return first !== undefined && first.no < this.#since;
  }

  #toEnd(list: HTMLElement): void {
    list.scrollTop = list.scrollHeight;
    this.#top = list.scrollTop;
  }

  /** By the first line in sight that is still there. */
  #keepInPlace(list: HTMLElement, before: Places): void {
    for (const { key, top } of before) {
      const line = list.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (!line) continue;
      const moved = line.getBoundingClientRect().top - top;
      if (moved !== 0) list.scrollTop += moved;
      this.#top = list.scrollTop;
      return;
    }
  }

  readonly #scrolled = (): void => {
    const list = this.#list.current;
    if (!list) return;
    const { from } = this.state;
    const below = list.scrollHeight - list.scrollTop - list.clientHeight;
    if (from === null) {
      if (below <= AT_END_PX) return;
      // Lines that become higher, as pictures come, are none of the reader's doing.
      if (list.scrollTop < this.#top - AT_END_PX) this.#stop();
      else this.#toEnd(list);
      return;
    }
    this.#moveWindow(list, from, below);
    this.#top = list.scrollTop;
  };

  #moveWindow(list: HTMLElement, from: number, below: number): void {
    const { lines } = this.props;
    const isDownward = list.scrollTop > this.#top;
    const { fit } = this.state;
    const [place, last] = [lines.placeOf(from), lines.all.length];
    const shown = fit * 3;
    if (isDownward && below <= AT_END_PX && place + shown >= last) this.#follow();
    else if (list.scrollTop < EDGE_PX && place > 0) this.#show(Math.max(0, place - fit));
    else if (below < EDGE_PX && place + shown < last) this.#show(place + fit);
  }

  /** Who turns the wheel upward wants to stop it, also where the next lines come before it has turned far. */
  readonly #wheel = ({ deltaY }: WheelEvent): void => {
    if (deltaY < 0) this.#lookBack();
  };

  readonly #key = ({ key }: KeyboardEvent): void => {
    if (UPWARD.has(key)) this.#lookBack();
  };

  #lookBack(): void {
    const list = this.#list.current;
    if (list && list.scrollTop > 0 && this.state.from === null) this.#stop();
  }

  #stop(): void {
    const { lines } = this.props;
    this.#since = lines.next;
    lines.hold();
    this.#show(Math.max(0, lines.all.length - this.state.fit * 3));
  }

  #show(place: number): void {
    this.setState({ from: this.props.lines.all[place]?.no ?? null });
  }

  readonly #follow = (): void => {
    this.props.lines.release();
    this.setState({ from: null });
  };

  render({ lines, label }: Props, { from, fit }: State) {
    const first = from === null ? -fit : lines.placeOf(from);
    const shown = lines.all.slice(first, from === null ? undefined : first + fit * 3);
    const isAloud = from === null && !isBusy(lines.all);
    return (
      <div class="messages">
        <ul
          ref={this.#list}
          onScroll={this.#scrolled}
          onWheel={this.#wheel}
          onKeyDown={this.#key}
          role="log"
          // What a reader scrolls to is nothing new.
          aria-live={isAloud ? "polite" : "off"}
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by the keyboard
          tabIndex={0}
        >
          {shown.map((line) => (
            <LineView key={line.key} line={line} />
          ))}
        </ul>
        {from !== null && (
          <button type="button" class="newest" onClick={this.#follow}>
            ↓ {TEXTS.chat.newOnes(lines.next - this.#since)}
          </button>
        )}
      </div>
    );
  }
}

function isBusy(lines: readonly Line[]): boolean {
  const [before, last] = [lines.at(-ALOUD.lines), lines.at(-1)];
  return before !== undefined && last !== undefined && last.at - before.at < ALOUD.withinMs;
}
