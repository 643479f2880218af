import type { MessageOf } from "@livecore/client";
import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { type Read, useRead } from "../../../site/read.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useRoomTopic } from "../../room-topic.ts";

export type Held = Schemas["HeldMessage"];
export type Action = "approve" | "deny" | "timeout";
export type Resolution = Pick<MessageOf<"mod.held_resolved">["data"], "outcome" | "by">;
/** A decision of this page. */
export type Decision = {
  held: Held;
  action: Action;
  state: "sent" | "done" | "undone";
};

/** A page of the interface; what is decided makes room for the next ones. */
const SHOWN = 100;
/** Seconds that an author can't write, where a denial is one with a timeout. */
export const TIMEOUT_S = 600;
/** More than wait in a room at once. */
const MOST_KNOWN = 1_000;
/** Of this page, newest first. */
const MOST_DECISIONS = 20;

type Changes = {
  /** Since the newest subscription: an answer may be older. */
  arrived: ReadonlyMap<string, Held>;
  /** By anybody. */
  resolved: ReadonlyMap<string, Resolution>;
  /** Decided here; the answer may not be there yet. */
  decided: ReadonlySet<string>;
};
const NOTHING: Changes = { arrived: new Map(), resolved: new Map(), decided: new Set() };

type HeldMessages = {
  read: Read<unknown>;
  /** Oldest first, without those that this page has decided. */
  known: readonly (Held & { resolution: Resolution | null })[];
  /** How many more there are. */
  left: number;
  decisions: readonly Decision[];
  decide(held: Held, action: Action): void;
  /** Deletes a message that was approved here. */
  undo(decision: Decision): void;
};

/** A room's messages that wait for a moderator, as they come and are decided anywhere. A decision is sent at once. */
export function useHeldMessages(streamId: string): HeldMessages {
  const path = { stream_id: streamId };
  const read = useRead("listHeldMessages", { path, query: { per_page: SHOWN } });
  const [changes, setChanges] = useState(NOTHING);
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  useRoomTopic(streamId, (room) => [
    // What moderators are told isn't told again after a lost connection.
    room.on("subscribed", () => {
      setChanges((before) => ({ ...before, arrived: NOTHING.arrived }));
      read.again();
    }),
    room.on("mod.held", ({ data }) =>
      setChanges((before) => ({ ...before, arrived: newest(new Map(before.arrived).set(data.id, data)) })),
    ),
    room.on("mod.held_resolved", ({ data: { id, outcome, by } }) =>
      setChanges((before) => ({
        ...before,
        resolved: newest(new Map(before.resolved).set(id, { outcome, by })),
      })),
    ),
  ]);

  const mark = (id: string, isDecided: boolean): void =>
    setChanges((before) => {
      const decided = new Set([...before.decided].slice(-MOST_KNOWN));
      if (isDecided) decided.add(id);
      else decided.delete(id);
      return { ...before, decided };
    });
  const note = (id: string, state: Decision["state"] | null): void =>
    setDecisions((before) =>
      before.flatMap((one) => (one.held.id !== id ? [one] : state === null ? [] : [{ ...one, state }])),
    );

  async function send(held: Held, action: Action): Promise<void> {
    const at = { path: { ...path, held_id: held.id } };
    if (action === "approve") await client.call("approveHeldMessage", at);
    else await client.call("denyHeldMessage", at);
    note(held.id, "done");
  }
  async function timeOut({ user_id }: Held): Promise<void> {
    const body = { duration_seconds: TIMEOUT_S };
    try {
      await client.call("timeoutUser", { path: { ...path, user_id }, body });
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  }

  const items = read.data?.items ?? [];
  const all = new Map([...items, ...changes.arrived.values()].map((one) => [one.id, one]));
  return {
    read,
    known: [...all.values()]
      .filter(({ id }) => !changes.decided.has(id))
      .map((one) => ({ ...one, resolution: changes.resolved.get(one.id) ?? null })),
    left: Math.max(0, (read.data?.total ?? 0) - items.length),
    decisions,
    decide(held, action) {
      mark(held.id, true);
      setDecisions((before) =>
        [{ held, action, state: "sent" as const }, ...before].slice(0, MOST_DECISIONS),
      );
      send(held, action).then(
        () => (action === "timeout" ? timeOut(held) : undefined),
        (err: unknown) => {
          const { text, isOver } = refusalOf(err);
          say(text, { isProblem: true });
          note(held.id, null);
          if (!isOver) mark(held.id, false);
        },
      );
      // The next ones, where there are more than one page.
      const waiting = items.filter(({ id }) => !changes.decided.has(id) && !changes.resolved.has(id));
      if (read.data?.has_more && waiting.length < SHOWN / 2) read.again();
    },
    undo(decision) {
      const at = { path: { ...path, uuid: decision.held.id } };
      client.call("deleteChatMessage", at).then(
        () => note(decision.held.id, "undone"),
        (err: unknown) => say(problemOf(err), { isProblem: true }),
      );
    },
  };
}

/** A desk is open for hours. */
const newest = <Value>(all: Map<string, Value>): Map<string, Value> => new Map([...all].slice(-MOST_KNOWN));

/** Why a decision didn't count. `isOver`: the message doesn't wait any more. */
function refusalOf(err: unknown): { text: string; isOver: boolean } {
  const { refusals } = CONSOLE_TEXTS.moderation.held;
  if (!(err instanceof LivecoreError)) return { text: problemOf(err), isOver: false };
  if (err.code === "not_found") return { text: refusals.gone, isOver: true };
  if (err.code !== "invalid_state") return { text: problemOf(err), isOver: false };
  const { status } = err.details;
  return { text: refusals[String(status)] ?? refusals.gone, isOver: status !== "timed_out" };
}
