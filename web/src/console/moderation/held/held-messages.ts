import type { MessageOf } from "@livecore/client";
import { LivecoreError } from "@livecore/client";
import { useState } from "preact/hooks";
import type { Schemas } from "../../../site/page-data.ts";
import { problemOf } from "../../../site/problems.ts";
import { type Read, useRead } from "../../../site/read.ts";
import { serverNow } from "../../../site/service-clock.ts";
import { client } from "../../../site/session.ts";
import { say } from "../../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { useRoomTopic, whenRoomMissed } from "../../room-topic.ts";
import { newest, useArrivals } from "../arrivals.ts";

export type Held = Schemas["HeldMessage"];
export type Action = "approve" | "deny" | "timeout";
type Resolved = MessageOf<"mod.held_resolved">["data"];
/** "gone": while nobody could tell this page how. */
export type Resolution = { outcome: Resolved["outcome"] | "gone"; by: Resolved["by"] };
export type Known = Held & { resolution: Resolution | null };
/** A decision of this page. `did`: what came of it so far; "kept": the author's longer timeout stays, "banned": their ban does. */
export type Decision = {
  held: Held;
  did: Action | "kept" | "banned";
  state: "sent" | "done" | "undone";
};

/** A page of the interface; what is decided makes room for the next ones. */
const SHOWN = 100;
/** Seconds that an author can't write, where a denial is one with a timeout. */
export const TIMEOUT_S = 600;
/** More than wait in a room at once. */
const MOST_DECIDED = 1_000;
/** Of this page, newest first. */
const MOST_DECISIONS = 20;

type Changes = {
  /** By anybody. */
  resolved: ReadonlyMap<string, Resolution>;
  /** Decided here; the answer may not be there yet. */
  decided: ReadonlySet<string>;
};
const NOTHING: Changes = { resolved: new Map(), decided: new Set() };

type HeldMessages = {
  read: Read<unknown>;
  /** Oldest first, without those that this page has decided. */
  known: readonly Known[];
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
  const arrived = useArrivals<Held>(read.data);
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  useRoomTopic(streamId, (room) => [
    // What moderators are told isn't told again after a lost connection.
    ...whenRoomMissed(room, () => {
      arrived.outdate();
      read.again();
    }),
    room.on("mod.held", ({ data }) => arrived.add(data)),
    room.on("mod.held_resolved", ({ data: { id, outcome, by } }) =>
      setChanges((before) => ({
        ...before,
        resolved: newest(new Map(before.resolved).set(id, { outcome, by })),
      })),
    ),
  ]);

  const mark = (id: string, isDecided: boolean): void =>
    setChanges((before) => {
      const decided = new Set([...before.decided].slice(-MOST_DECIDED));
      if (isDecided) decided.add(id);
      else decided.delete(id);
      return { ...before, decided };
    });
  /** Null: it didn't count. */
  const note = (id: string, changed: Partial<Decision> | null): void =>
    setDecisions((before) =>
      before.flatMap((one) =>
        one.held.id !== id ? [one] : changed === null ? [] : [{ ...one, ...changed }],
      ),
    );

  async function send(held: Held, action: Action): Promise<void> {
    const at = { path: { ...path, held_id: held.id } };
    if (action === "approve") await client.call("approveHeldMessage", at);
    else await client.call("denyHeldMessage", at);
    note(held.id, { state: "done" });
  }
  async function timeOut({ id, user_id }: Held): Promise<void> {
    const at = { path: { ...path, user_id } };
    try {
      const { restriction } = await client.call("getChatMember", at);
      const end = Date.parse(restriction?.expires_at ?? "");
      if (restriction?.type === "ban") note(id, { did: "banned" });
      else if (end > serverNow() + TIMEOUT_S * 1_000) note(id, { did: "kept" });
      else {
        await client.call("timeoutUser", { ...at, body: { duration_seconds: TIMEOUT_S } });
        note(id, { did: "timeout" });
      }
    } catch (err) {
      say(problemOf(err), { isProblem: true });
    }
  }

  const items = read.data?.items ?? [];
  const all = new Map([...items, ...arrived.all.values()].map((one) => [one.id, one]));
  return {
    read,
    known: [...all.values()]
      .filter(({ id }) => !changes.decided.has(id))
      .map((one) => ({ ...one, resolution: changes.resolved.get(one.id) ?? null })),
    left: Math.max(0, (read.data?.total ?? 0) - items.length),
    decisions,
    decide(held, action) {
      mark(held.id, true);
      // The timeout comes after the denial, and may be refused.
      const did = action === "timeout" ? "deny" : action;
      setDecisions((before) => [{ held, did, state: "sent" as const }, ...before].slice(0, MOST_DECISIONS));
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
    undo({ held: { id } }) {
      // Before its answer: the next press is for the one before it.
      note(id, { state: "sent" });
      client.call("deleteChatMessage", { path: { ...path, uuid: id } }).then(
        () => note(id, { state: "undone" }),
        (err: unknown) => {
          note(id, { state: "done" });
          say(problemOf(err), { isProblem: true });
        },
      );
    },
  };
}

/** Why a decision didn't count. `isOver`: the message doesn't wait any more. */
function refusalOf(err: unknown): { text: string; isOver: boolean } {
  const { refusals } = CONSOLE_TEXTS.moderation.held;
  if (!(err instanceof LivecoreError)) return { text: problemOf(err), isOver: false };
  if (err.code === "not_found") return { text: refusals.gone, isOver: true };
  if (err.code !== "invalid_state") return { text: problemOf(err), isOver: false };
  const { status } = err.details;
  return { text: refusals[String(status)] ?? refusals.gone, isOver: status !== "timed_out" };
}
