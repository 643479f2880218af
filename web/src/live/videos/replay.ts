import type { Success } from "@livecore/client";
import { signal } from "@preact/signals";
import { client } from "../../site/session.ts";

type Line = Success<"listVideoChat">["items"][number];

/** Lines before the picture's second that are shown after a jump. */
const BEFORE_S = 60;
const CHUNK = 100;
/** The next lines are asked for when fewer are left. */
const AHEAD = 30;
const KEPT = 200;
/** A jump in the video; playing moves by less from one report to the next. */
const JUMP_S = 10;

/** What was said in a video up to the second that is shown. It reads ahead while the video plays, and anew after a jump. */
export class Replay {
  /** The lines so far, oldest first. */
  readonly lines = signal<readonly Line[]>([]);
  readonly hasFailed = signal(false);
  readonly #videoId: string;
  #coming: Line[] = [];
  #cursor: string | null = null;
  #hasMore = true;
  #at: number | null = null;
  /** Aborts a read that a jump has made useless. */
  #reading: AbortController | null = null;

  constructor(videoId: string) {
    this.#videoId = videoId;
  }

  /** The picture is at that second. */
  show(second: number): void {
    const isJump = this.#at === null || second < this.#at || second - this.#at > JUMP_S;
    this.#at = second;
    if (isJump) this.#jump(second);
    const due = this.#coming.findIndex((line) => line.offset_seconds > second);
    const shown = this.#coming.splice(0, due === -1 ? this.#coming.length : due);
    if (shown.length > 0) this.lines.value = [...this.lines.value, ...shown].slice(-KEPT);
    if (this.#coming.length < AHEAD && this.#hasMore) void this.#read();
  }

  again(): void {
    this.hasFailed.value = false;
    void this.#read();
  }

  close(): void {
    this.#reading?.abort();
  }

  #jump(second: number): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#coming = [];
    this.#cursor = null;
    this.#hasMore = true;
    this.lines.value = [];
    this.hasFailed.value = false;
    this.#from = Math.max(0, Math.floor(second) - BEFORE_S);
  }
  #from = 0;

  async #read(): Promise<void> {
    if (this.#reading || this.hasFailed.value) return;
    const reading = new AbortController();
    this.#reading = reading;
    const place = this.#cursor === null ? { from: this.#from } : { after: this.#cursor };
    const answer = await client
      .attempt("listVideoChat", {
        path: { video_id: this.#videoId },
        query: { ...place, limit: CHUNK },
        signal: reading.signal,
      })
      .catch(() => null);
    if (reading.signal.aborted) return;
    this.#reading = null;
    if (!answer?.ok) {
      this.hasFailed.value = true;
      return;
    }
    const { items, after_cursor: cursor, has_more: hasMore } = answer.data;
    this.#coming.push(...items);
    this.#cursor = cursor ?? this.#cursor;
    this.#hasMore = hasMore;
    if (this.#at !== null) this.show(this.#at);
  }
}
