import { Component, createRef } from "preact";
import { TEXTS } from "../texts/embedded.ts";
import type { LineActs } from "./line-acts.ts";
import { LineView } from "./line-view.tsx";
import type { Line, Lines } from "./lines.ts";
import { inSight, type Places } from "./places.ts";
import type { Badges } from "./room-facts.ts";

/** Minimum height of a line in CSS pixels; gives the number of lines that fit. */
const LINE_PX = 22;
/** A distance to the end below this counts as being at the end. */
const AT_END_PX = 30;
/** The rendered window moves when its edge is nearer than this. */
const EDGE_PX = 400;
/** At this rate of lines they aren't announced to screen readers any more. */
const ALOUD = { lines: 10, withinMs: 10_000 };
const UPWARD = new Set(["ArrowUp", "PageUp", "Home"]);

type Props = {
  lines: Lines;
  label: string;
  badges: Badges;
  /** Username of the reader; null for readers who aren't signed in. */
  self: string | null;
  /** Null where lines can only be read. */
  acts: LineActs | null;
  /** In the place of lines; null where there are some, or may be. */
  note?: string | null;
};
/** The `no` of the first rendered line; null while the list follows new lines. */
type State = { from: number | null; fit: number };
/** Why it doesn't follow new lines: the reader scrolled back, or it stands still while the pointer or the focus is in its lines. */
type Standstill = "reader" | "pointer" | "focus";

/**
 * A virtual list: only the visible lines, and a few more, are in the document. It follows new lines until the reader scrolls up.
 * Then it keeps its position, however busy the chat is and whatever is deleted, and shows the number of new lines.
 */
export class MessageList extends Component<Props, State> {
  override state: State = { from: null, fit: 40 };
  readonly #list = createRef<HTMLDivElement>();
  #sizes: ResizeObserver | null = null;
  /** The `no` of the next line at the time the reader began to scroll back. */
  #since = 0;
  /** The last `scrollTop`. */
  #top = 0;
  /** How far the reader has scrolled, but for steps from line to line, since the list last stood still by itself. */
  #away = 0;
  /** What the reader saw last, while the list doesn't follow new lines. */
  #seen: Places = [];
  /** Counts while the list doesn't follow new lines. */
  #why: Standstill = "reader";
  /** Whether a mouse points at lines that one works on. */
  #isPointedAt = false;

  override componentDidMount(): void {
    const list = this.#list.current;
    if (!list) return;
    this.#sizes = new ResizeObserver(() => {
      // Lines grow when their pictures come, or don't.
      if (this.state.from === null) this.#toEnd(list);
      else this.#keepInPlace(list, this.#seen);
      this.setState({ fit: Math.ceil(list.clientHeight / LINE_PX) + 4 });
    });
    this.#sizes.observe(list);
    if (list.firstElementChild) this.#sizes.observe(list.firstElementChild);
  }

  override componentWillUnmount(): void {
    this.#sizes?.disconnect();
  }

  override getSnapshotBeforeUpdate(): Places {
    const list = this.#list.current;
    return !list || this.state.from === null ? [] : inSight(list);
  }

  override componentDidUpdate(_props: Props, _state: State, before: Places): void {
    const list = this.#list.current;
    if (!list) return;
    if (this.state.from === null) this.#toEnd(list);
    else if (this.props.lines.isHolding) {
      this.#hold(this.props.lines.placeOf(this.state.from));
      this.#keepInPlace(list, before);
    } else this.#standAgain(list, before);
  }

  /** The lines that were kept are gone, as where the chat was cleared, or were read again: those that are in hand stay where they are. */
  #standAgain(list: HTMLElement, before: Places): void {
    const why = this.#hasFocus ? "focus" : this.#isPointedAt ? "pointer" : null;
    if (why === null) {
      this.#follow();
      return;
    }
    this.#keepInPlace(list, before);
    this.#stop(why);
  }

  /** Whether keys act on one of the lines: it must stay, and stay in the document. */
  get #hasFocus(): boolean {
    const { activeElement: at } = document;
    const list = this.#list.current;
    if (!this.props.acts?.isForWork && this.#why !== "focus") return false;
    return list !== null && at !== list && list.contains(at);
  }

  #toEnd(list: HTMLElement): void {
    list.scrollTop = list.scrollHeight;
    this.#top = list.scrollTop;
  }

  /** Anchors the scroll position to the first visible line that still exists. */
  #keepInPlace(list: HTMLElement, before: Places): void {
    for (const { key, top } of before) {
      const line = list.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (!line) continue;
      const moved = line.getBoundingClientRect().top - top;
      // Less than a pixel is rounding.
      if (Math.abs(moved) >= 1) list.scrollTop += moved;
      break;
    }
    this.#top = list.scrollTop;
    this.#seen = inSight(list);
  }

  /** `isStep`: by a key that moves from line to line. */
  #moved(isStep: boolean): void {
    const list = this.#list.current;
    if (!list) return;
    const { from } = this.state;
    const below = list.scrollHeight - list.scrollTop - list.clientHeight;
    if (from === null) {
      if (below <= AT_END_PX) return;
      // Lines that grow, when images load, aren't scrolling by the reader.
      if (list.scrollTop < this.#top - AT_END_PX) this.#stop("reader");
      else this.#toEnd(list);
      return;
    }
    const scrolled = list.scrollTop - this.#top;
    this.#away = isStep ? 0 : this.#away + scrolled;
    // A line in hand may be scrolled out of the document.
    if (Math.abs(this.#away) > AT_END_PX && this.props.acts?.isForWork) this.#why = "reader";
    this.#moveWindow(list, from, below);
    // Lines may have grown since they were seen: what wasn't scrolled is put right.
    this.#keepInPlace(
      list,
      this.#seen.map(({ key, top }) => ({ key, top: top - scrolled })),
    );
  }

  readonly #scrolled = (): void => this.#moved(false);

  #moveWindow(list: HTMLElement, from: number, below: number): void {
    const { lines } = this.props;
    const isDownward = list.scrollTop > this.#top;
    const { fit } = this.state;
    const [place, last] = [lines.placeOf(from), lines.all.length];
    const shown = fit * 3;
    if (isDownward && below <= AT_END_PX && place + shown >= last) this.#letGo();
    else if (list.scrollTop < EDGE_PX && place > 0) this.#show(Math.max(0, place - fit));
    else if (below < EDGE_PX && place + shown < last) this.#show(place + fit);
  }

  /** Turning the wheel upward stops following at once, even if new lines arrive before it has scrolled far. */
  readonly #wheel = ({ deltaY }: WheelEvent): void => {
    if (deltaY < 0) this.#lookBack();
  };

  readonly #key = (event: KeyboardEvent): void => {
    const { acts, lines } = this.props;
    const list = this.#list.current;
    const did = acts && list ? acts.key(event, list, lines) : null;
    // The lines stand still while the focus is in one of them.
    if (did === "entered") this.#enter();
    // Lines that came meanwhile are needed for the next step, also where this one has scrolled nothing.
    else if (did === "moved") this.#moved(true);
    else if (did === "left" && acts?.isForWork) this.#follow();
    else if (did === null && UPWARD.has(event.key)) this.#lookBack();
  };

  readonly #focused = ({ target }: FocusEvent): void => {
    if (!this.props.acts?.isForWork) return;
    if (target !== this.#list.current) this.#enter();
    else if (this.state.from !== null && this.#why === "focus") this.#letGo();
  };

  readonly #blurred = ({ relatedTarget: to }: FocusEvent): void => {
    // A dialog gives the focus back to the line that it is about.
    if (!(to instanceof Element) || this.#list.current?.contains(to) || to.closest("dialog")) return;
    if (this.props.acts?.isForWork && this.state.from !== null && this.#why === "focus") this.#letGo();
  };

  readonly #pointed = ({ pointerType }: PointerEvent): void => {
    if (!this.props.acts?.isForWork || pointerType !== "mouse") return;
    this.#isPointedAt = true;
    if (this.state.from === null) this.#stop("pointer");
  };

  readonly #left = (): void => {
    this.#isPointedAt = false;
    if (this.state.from !== null && this.#why === "pointer") this.#letGo();
  };

  readonly #click = ({ target }: MouseEvent): void => {
    const { lines, acts } = this.props;
    acts?.click(target, lines);
  };

  #lookBack(): void {
    const list = this.#list.current;
    if (list && list.scrollTop > 0 && this.state.from === null) this.#stop("reader");
  }

  /** The focus came to a line. */
  #enter(): void {
    if (this.state.from === null) this.#stop("focus");
    else if (this.#why === "pointer") this.#why = "focus";
  }

  #stop(why: Standstill): void {
    const { lines } = this.props;
    this.#why = why;
    this.#away = 0;
    this.#since = lines.next;
    lines.hold();
    this.#show(Math.max(0, lines.all.length - this.state.fit * 3));
  }

  #show(place: number): void {
    const from = this.props.lines.all[place]?.no ?? null;
    this.#hold(place);
    this.setState({ from });
  }

  /** Keeps the lines that are in the document with this first one. */
  #hold(place: number): void {
    const { lines } = this.props;
    const last = lines.all.slice(place, place + this.state.fit * 3).at(-1);
    if (last) lines.hold(last.no + 1);
  }

  /** Follows new lines again, unless the lines are in hand. */
  #letGo(): void {
    this.#away = 0;
    if (this.#hasFocus) this.#why = "focus";
    else if (this.#isPointedAt) this.#why = "pointer";
    else this.#follow();
  }

  readonly #follow = (): void => {
    this.props.lines.release();
    this.setState({ from: null });
  };

  render({ lines, label, badges, self, acts, note }: Props, { from, fit }: State) {
    const first = from === null ? -fit : lines.placeOf(from);
    const shown = lines.all.slice(first, from === null ? undefined : first + fit * 3);
    const isAloud = from === null && !isBusy(lines.all);
    return (
      // With the button that appears above the lines as soon as they are pointed at.
      <div class="messages" onPointerEnter={this.#pointed} onPointerLeave={this.#left}>
        {/* Items of a list belong to a list, so the log isn't the list itself. */}
        <div
          class="log"
          ref={this.#list}
          onScroll={this.#scrolled}
          onWheel={this.#wheel}
          // Lines may have begun to move below it since it entered.
          onPointerMove={this.#pointed}
          onKeyDown={this.#key}
          onClick={this.#click}
          onFocusIn={this.#focused}
          onFocusOut={this.#blurred}
          role="log"
          // Lines that a reader scrolls to aren't news.
          aria-live={isAloud ? "polite" : "off"}
          aria-label={label}
          aria-description={acts ? TEXTS.chat.linesByKey : undefined}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by the keyboard
          tabIndex={0}
        >
          <ul>
            {shown.map((line) => (
              <LineView key={line.key} line={line} badges={badges} self={self} acts={acts} />
            ))}
          </ul>
        </div>
        {from !== null && (
          <button type="button" class="newest" onClick={this.#follow}>
            ↓ {TEXTS.chat.newOnes(lines.next - this.#since)}
          </button>
        )}
        {note && <p class="note">{note}</p>}
      </div>
    );
  }
}

function isBusy(lines: readonly Line[]): boolean {
  const [before, last] = [lines.at(-ALOUD.lines), lines.at(-1)];
  return before !== undefined && last !== undefined && last.at - before.at < ALOUD.withinMs;
}
