import type { Db } from "mongodb";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";
import type { PublishedEvents } from "./published-events.ts";
import type { Driver } from "./versions/stage.ts";
import type { World } from "./world.ts";

/** An actor as it is stored. */
export type StoredActor = {
  id: string;
  /** "resolved.paying". */
  path: string;
  /** "resolved". */
  status: string;
  context: Record<string, unknown>;
};

/** A change of `status`, the first part of the state's path; `before` is undefined for a new actor. */
type StatusChange = { event: HistoryDoc["event"]; before: string | undefined; after: string };

/** What specs of the host know of one machine: `specs/actors/<context>/<machine>/subject.ts` exports it. */
export type Subject = {
  /** The machine's name. */
  machine: string;
  /** How to bring its actors through all states. */
  driver(world: World): Driver;
  /** By state: the timers that an actor in it must have, by the suffix of their names. Other states have none. */
  timers: Readonly<Record<string, readonly string[]>>;
  /** Checks what else is stored of an actor against its snapshot. */
  agrees(db: Db, actor: StoredActor): Promise<void>;
  /** The types of the room events that a change of status makes. Null: what it sends isn't about its status, and isn't compared. */
  announces: ((change: StatusChange) => readonly string[]) | null;
  /** The ids of its actors around one channel. */
  ofChannel(db: Db, channel: { streamId: string; channelUserId: string }): Promise<string[]>;
  /** Checks one that is over: `viewers` users took part, and these events were published. */
  expectEnd?(db: Db, id: string, run: { viewers: number; published: PublishedEvents }): Promise<void>;
  /** Kinds of waiting that are tried with a downtime of all processes. */
  waiting?: Readonly<Record<string, Waiting>>;
};

/** Actors that wait for one timer. */
type Waiting = {
  /** Of their timer, as in the history. */
  event: string;
  /** Makes one for each of these times, at which its timer is due. It may turn the world's clock back. */
  make(world: World, dues: number[]): Promise<void>;
  /** It fires other timers to get there, so it is made while no others wait. */
  firesOthers?: true;
};
