import type { components, LivecoreClient } from "@livecore/client";
import { type Lines, lineOf } from "./lines.ts";

type ChatMessage = components["schemas"]["ChatMessage"];
type Change = (lines: Lines) => void;

const HISTORY = 50;

/** Reads a room's latest messages, beside the changes that come meanwhile. */
export class RoomHistory {
  readonly #streamId: string;
  readonly #client: () => LivecoreClient;
  /** Changes of the lines since history was requested; null when no request is pending. */
  #changesSince: Change[] | null = null;

  constructor(streamId: string, client: () => LivecoreClient) {
    this.#streamId = streamId;
    this.#client = client;
  }

  /** While history is on its way, which may be older. */
  changed(change: Change): void {
    this.#changesSince?.push(change);
  }

  /**
   * What replaces the lines: after a gap nothing else says which of the earlier ones were deleted. Changes since the request are
   * applied again, since the history may be older than they are. Null without an answer, or if another gap has requested history
   * again. `onRead` gets all messages that were read, in any case: what was approved in the gap.
   */
  async read(onRead: (messages: readonly ChatMessage[]) => void): Promise<Change | null> {
    const changes: Change[] = [];
    this.#changesSince = changes;
    const read = await this.#client()
      .attempt("listChatMessages", { path: { stream_id: this.#streamId }, query: { limit: HISTORY } })
      .catch(() => null);
    if (read?.ok) onRead(read.data.items);
    if (this.#changesSince !== changes) return null;
    this.#changesSince = null;
    if (!read?.ok) return null;
    const messages = read.data.items.filter((message) => !message.is_deleted);
    return (lines) => {
      lines.clear();
      for (const message of messages) lines.add(lineOf(message));
      for (const change of changes) change(lines);
    };
  }
}
