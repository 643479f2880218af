import { Component, createRef } from "preact";
import { TEXTS } from "../texts.ts";
import { LineView } from "./line-view.tsx";
import type { Lines } from "./lines.ts";

/** The least height of a line in CSS pixels: so many fit at most. */
const LINE_PX = 22;
/** Nearer to the end than this counts as at the end. */
const AT_END_PX = 30;
/** A reader's window moves when its edge is nearer than this. */
const EDGE_PX = 400;

type Props = { lines: Lines; label: string };
/** Where the document's lines begin, counted since the beginning of the chat; null while it follows what is said. */
type State = { from: number | null; fit: number };

/**
 * The lines that are seen, and few besides, are in the document. It follows what is said until the reader scrolls up; then
 * it stands still, however busy the chat is, and says how much is new.
 */
export class MessageList extends Component<Props, State> {
  override state: State = { from: null, fit: 40 };
  readonly #list = createRef<HTMLUListElement>();
  #sizes: ResizeObserver | null = null;
  /** A line that stays where it is while the window moves around it. */
  #anchor: { key: string; top: number } | null = null;
  /** How many lines there had been when the reader began to look back. */
  #since = 0;

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

  override componentDidUpdate(): void {
    const list = this.#list.current;
    if (!list) return;
    if (this.state.from === null) list.scrollTop = list.scrollHeight;
    else if (this.#anchor) this.#keepInPlace(list, this.#anchor);
    this.#anchor = null;
  }

  /** All that were ever said. */
  get #total(): number {
    const { all, dropped } = this.props.lines;
    return dropped + all.length;
  }

  #keepInPlace(list: HTMLElement, { key, top }: { key: string; top: number }): void {
    const line = list.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (line) list.scrollTop += line.getBoundingClientRect().top - top;
  }

  readonly #scrolled = (): void => {
    const list = this.#list.current;
    if (!list) return;
    const { from, fit } = this.state;
    const below = list.scrollHeight - list.scrollTop - list.clientHeight;
    const { dropped } = this.props.lines;
    if (from === null) {
      if (below <= AT_END_PX) return;
      this.#since = this.#total;
      this.#moveTo(Math.max(dropped, this.#total - fit * 3));
      return;
    }
    const shown = fit * 3;
    if (below <= AT_END_PX && from + shown >= this.#total) this.#follow();
    else if (list.scrollTop < EDGE_PX && from > dropped) this.#moveTo(Math.max(dropped, from - fit));
    else if (below < EDGE_PX && from + shown < this.#total) this.#moveTo(from + fit);
  };

  #moveTo(from: number): void {
    const list = this.#list.current;
    const top = list?.getBoundingClientRect().top ?? 0;
    for (const line of list?.children ?? []) {
      const place = line.getBoundingClientRect();
      if (!(line instanceof HTMLElement) || place.bottom < top) continue;
      this.#anchor = { key: line.dataset.key ?? "", top: place.top };
      break;
    }
    this.setState({ from });
  }

  readonly #follow = (): void => this.setState({ from: null });

  render({ lines, label }: Props, { from, fit }: State) {
    const first = from === null ? -fit : Math.max(0, from - lines.dropped);
    const shown = lines.all.slice(first, from === null ? undefined : first + fit * 3);
    const unseen = from === null ? 0 : this.#total - this.#since;
    return (
      <div class="messages">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by the keyboard */}
        <ul ref={this.#list} onScroll={this.#scrolled} role="log" aria-label={label} tabIndex={0}>
          {shown.map((line) => (
            <LineView key={line.key} line={line} />
          ))}
        </ul>
        {from !== null && (
          <button type="button" class="newest" onClick={this.#follow}>
            ↓ {TEXTS.chat.newOnes(unseen)}
          </button>
        )}
      </div>
    );
  }
}
