import type { MessageOf } from "@livecore/client";
import { useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { type Read, useRead } from "../../site/read.ts";
import { useRoomTopic } from "../room-topic.ts";

type UnbanRequest = Schemas["UnbanRequest"];
export type Resolution = Pick<MessageOf<"mod.unban_request_resolved">["data"], "status" | "by">;
export type Shown = UnbanRequest & { resolution: Resolution | null };

/** A page of the interface; what is decided makes room for the next ones. */
const SHOWN = 100;

type Changes = {
  /** Since the newest subscription: an answer may be older. */
  arrived: ReadonlyMap<string, UnbanRequest>;
  resolved: ReadonlyMap<string, Resolution>;
  /** What the reader has decided, or has seen decided and put away. */
  gone: ReadonlySet<string>;
};
const NOTHING: Changes = { arrived: new Map(), resolved: new Map(), gone: new Set() };

type PendingRequests = {
  read: Read<unknown>;
  /** Oldest first; those that others decided stay until they are put away. */
  shown: readonly Shown[];
  /** How many more there are. */
  left: number;
  resolve(id: string, resolution: Resolution): void;
  putAway(id: string): void;
};

/** The unban requests of a room that wait for a decision, as they come and are decided anywhere. */
export function usePendingRequests(streamId: string): PendingRequests {
  const query = { status: "pending" as const, per_page: SHOWN };
  const read = useRead("listUnbanRequests", { path: { stream_id: streamId }, query });
  const [changes, setChanges] = useState(NOTHING);
  const resolve = (id: string, resolution: Resolution): void =>
    setChanges((before) => {
      // A refusal doesn't say who was faster; the event does.
      const isKnown = resolution.by === null && before.resolved.has(id);
      return isKnown ? before : { ...before, resolved: new Map(before.resolved).set(id, resolution) };
    });
  useRoomTopic(streamId, (topic) => [
    // What moderators are told isn't told again after a lost connection.
    topic.on("subscribed", () => {
      setChanges((before) => ({ ...before, arrived: NOTHING.arrived }));
      read.again();
    }),
    topic.on("mod.unban_request", ({ data }) =>
      setChanges((before) => ({ ...before, arrived: new Map(before.arrived).set(data.id, data) })),
    ),
    topic.on("mod.unban_request_resolved", ({ data: { id, status, by } }) => resolve(id, { status, by })),
  ]);
  const items = read.data?.items ?? [];
  const all = new Map([...items, ...changes.arrived.values()].map((one) => [one.id, one]));
  const shown = [...all.values()]
    .filter(({ id }) => !changes.gone.has(id))
    .map((one) => ({ ...one, resolution: changes.resolved.get(one.id) ?? null }));
  return {
    read,
    shown,
    left: Math.max(0, (read.data?.total ?? 0) - items.length),
    resolve,
    putAway(id) {
      setChanges((before) => ({ ...before, gone: new Set(before.gone).add(id) }));
      // The next ones, where there were more than one page.
      if (read.data?.has_more) read.again();
    },
  };
}
