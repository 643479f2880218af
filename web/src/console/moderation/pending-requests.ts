import type { MessageOf } from "@livecore/client";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { type Read, useRead } from "../../site/read.ts";
import { useRoomTopic, whenRoomMissed } from "../room-topic.ts";
import { newest, useArrivals, withKept } from "./arrivals.ts";

type UnbanRequest = Schemas["UnbanRequest"];
type Resolved = MessageOf<"mod.unban_request_resolved">["data"];
/** "gone": while nobody could tell this page how. */
export type Resolution = { status: Resolved["status"] | "gone"; by: Resolved["by"] };
export type Shown = UnbanRequest & { resolution: Resolution | null };

/** A page of the interface; what is decided makes room for the next ones. */
const SHOWN = 100;
/** The newest ones that others decided: a desk is open for hours, and not everybody puts them away. */
const MOST_RESOLVED = 5;

type Changes = {
  resolved: ReadonlyMap<string, Resolution>;
  /** What the reader has decided, or has seen decided and put away. */
  gone: ReadonlyMap<string, true>;
};
const GONE = { status: "gone" as const, by: null };
const NOTHING: Changes = { resolved: new Map(), gone: new Map() };

type PendingRequests = {
  read: Read<unknown>;
  /** Oldest first; the last ones that others decided stay until they are put away. */
  shown: readonly Shown[];
  /** How many more there are. */
  left: number;
  resolve(id: string, resolution: Resolution): void;
  putAway(id: string): void;
};

/**
 * The unban requests of a room that wait for a decision, as they come and are decided anywhere. `inHand`: the one that keys act on, which
 * stays until it is put away: its keys must not act on another one.
 */
export function usePendingRequests(streamId: string, inHand: string | null): PendingRequests {
  const query = { status: "pending" as const, per_page: SHOWN };
  const read = useRead("listUnbanRequests", { path: { stream_id: streamId }, query });
  const [changes, setChanges] = useState(NOTHING);
  const arrived = useArrivals<UnbanRequest>(read.data);
  const resolve = (id: string, resolution: Resolution): void =>
    setChanges((before) => {
      // A refusal doesn't say who was faster; the event does.
      const isKnown = resolution.by === null && before.resolved.has(id);
      return isKnown ? before : { ...before, resolved: newest(new Map(before.resolved).set(id, resolution)) };
    });
  useRoomTopic(streamId, (topic) => [
    // What moderators are told isn't told again after a lost connection.
    ...whenRoomMissed(topic, () => {
      arrived.outdate();
      read.again();
    }),
    topic.on("mod.unban_request", ({ data }) => arrived.add(data)),
    topic.on("mod.unban_request_resolved", ({ data: { id, status, by } }) => resolve(id, { status, by })),
  ]);
  const items = read.data?.items ?? [];
  const all = new Map([...items, ...arrived.all.values()].map((one) => [one.id, one]));
  const here = [...all.values()].filter(({ id }) => !changes.gone.has(id));
  const ids = new Set(here.map(({ id }) => id));
  const over = [...changes.resolved.keys()].filter((id) => ids.has(id)).slice(0, -MOST_RESOLVED);
  const left = Math.max(0, (read.data?.total ?? 0) - items.length);
  const before = useRef<readonly Shown[]>([]);
  const kept = before.current.filter(({ id }) => id === inHand && !changes.gone.has(id));
  const shown = withKept(
    here
      .filter(({ id }) => id === inHand || !over.includes(id))
      .map((one) => ({ ...one, resolution: changes.resolved.get(one.id) ?? null })),
    kept,
    {
      // Where there are more than were read, it may be among those.
      missing: (one) => ({
        ...one,
        resolution: changes.resolved.get(one.id) ?? one.resolution ?? (left > 0 ? null : GONE),
      }),
      timeOf: ({ created_at }) => Date.parse(created_at),
    },
  );
  useLayoutEffect(() => {
    before.current = shown;
  });
  return {
    read,
    shown,
    left,
    resolve,
    putAway(id) {
      setChanges((before) => ({ ...before, gone: newest(new Map(before.gone).set(id, true)) }));
      // The next ones, where there were more than one page.
      if (read.data?.has_more) read.again();
    },
  };
}
