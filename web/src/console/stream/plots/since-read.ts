import type { Schemas } from "../../../site/page-data.ts";

type Timeline = Schemas["StreamTimeline"];
type Point = Schemas["StreamTimelinePoint"];
type Counts = Pick<Point, "messages" | "follows" | "subscriptions" | "tip_cents">;

const NOTHING: Counts = { messages: 0, follows: 0, subscriptions: 0, tip_cents: 0 };

/** What a channel's room has said since a timeline was read, and the timeline with that. */
export class SinceRead {
  readonly #timeline: Timeline | undefined;
  readonly #stepMs: number;
  /** By the beginning of their point, Unix ms. */
  readonly #counts = new Map<number, Counts>();
  readonly #viewers = new Map<number, number>();

  constructor(timeline: Timeline | undefined) {
    this.#timeline = timeline;
    this.#stepMs = (timeline?.interval_seconds ?? 60) * 1_000;
  }

  /** @param at Unix ms */
  add(at: number, counts: Partial<Counts>): void {
    const point = this.#pointOf(at);
    const before = this.#counts.get(point) ?? NOTHING;
    this.#counts.set(point, {
      messages: before.messages + (counts.messages ?? 0),
      follows: before.follows + (counts.follows ?? 0),
      subscriptions: before.subscriptions + (counts.subscriptions ?? 0),
      tip_cents: before.tip_cents + (counts.tip_cents ?? 0),
    });
  }

  /** The last count of a point's time stands for it. */
  viewersAre(at: number, viewers: number): void {
    this.#viewers.set(this.#pointOf(at), viewers);
  }

  /** The timeline up to now; one that has ended stays as it was read. */
  upTo(now: number): Timeline | undefined {
    const timeline = this.#timeline;
    if (!timeline || timeline.started_at === null || timeline.ended_at !== null) return timeline;
    const points = [...timeline.points];
    const first = points.at(-1);
    for (
      let at = first ? Date.parse(first.at) + this.#stepMs : this.#pointOf(now);
      at <= now;
      at += this.#stepMs
    )
      points.push({ at: new Date(at).toISOString(), viewers: null, ...NOTHING });
    return { ...timeline, points: points.map((point) => this.#withNews(point)) };
  }

  #withNews(point: Point): Point {
    const at = Date.parse(point.at);
    const counts = this.#counts.get(at);
    const viewers = this.#viewers.get(at);
    if (counts === undefined && viewers === undefined) return point;
    const { messages, follows, subscriptions, tip_cents } = counts ?? NOTHING;
    return {
      at: point.at,
      viewers: point.viewers ?? viewers ?? null,
      messages: point.messages + messages,
      follows: point.follows + follows,
      subscriptions: point.subscriptions + subscriptions,
      tip_cents: point.tip_cents + tip_cents,
    };
  }

  #pointOf(at: number): number {
    return Math.floor(at / this.#stepMs) * this.#stepMs;
  }
}
