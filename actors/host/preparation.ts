import type { AnyMachineSnapshot } from "xstate";
import { withDeadline } from "../../base/deadline.ts";
import { unavailable } from "../../contract/errors.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { idempotencyIn } from "../../store/mongo/driver/idempotency.ts";
import { inTransaction } from "../../store/mongo/driver/transaction.ts";
import { historyIn } from "../../store/mongo/host/history.ts";
import type { SnapshotDoc, StoredTimer } from "../../store/mongo/host/snapshots.ts";
import { type TimerDoc, timersIn } from "../../store/mongo/host/timers.ts";
import type { Batch } from "./batch.ts";
import { BatchDecision } from "./batch-decision.ts";
import type { MemberPrefetch } from "./member-prefetch.ts";
import { isOutdated, rearm } from "./rearm.ts";
import { NO_MEMBERS, type PrefetchedMembers, SETTLE } from "./settling.ts";
import { pathOf, restore } from "./snapshot-codec.ts";

/** Timeout for reading the members to settle, so that other requests of the actor don't wait longer for them. */
const MEMBERS_MS = 2_000;

/** Step 1 of a commit: reads what the batch needs, with one query per collection. */
export function createPreparation(mongo: Mongo, prefetch: MemberPrefetch) {
  const timers = timersIn(mongo.db);
  const keys = idempotencyIn(mongo.db);
  const history = historyIn(mongo.db);

  /**
   * After a violation the keys are read in a transaction, as they are now rather than as a majority has them: the violating
   * document may be from an earlier commit of the same request, which then wrote the key with it.
   */
  const keysOf = (ids: string[], isViolated: boolean) =>
    isViolated ? inTransaction(mongo.client, (session) => keys.findMany(ids, session)) : keys.findMany(ids);

  /** None unless the actor is settling: before that they may still change. A failed read fails only the settling. */
  async function membersOf(
    { definition, actor, id }: Batch,
    snapshot: AnyMachineSnapshot,
  ): Promise<PrefetchedMembers> {
    const { settling } = definition;
    if (!settling?.states.includes(pathOf(snapshot.value))) return NO_MEMBERS;
    const { cursor } = settling.progress(snapshot.context);
    try {
      const reading = prefetch.take(settling, { actor, id }, cursor);
      return { members: await withDeadline(reading, performance.now() + MEMBERS_MS, unavailable) };
    } catch (failure) {
      return { members: null, failure };
    }
  }

  /** `isViolated`: the batch's last attempt violated a unique index. */
  return async function prepare(
    batch: Batch,
    { doc, isViolated, now }: { doc: SnapshotDoc | null; isViolated: boolean; now: Date },
  ): Promise<BatchDecision> {
    const { definition, actor, id, requests } = batch;
    const snapshot = doc && restore(definition, doc);
    const keyIds = requests.flatMap(({ once }) => (once ? [once.key] : []));
    const timerIds = requests.flatMap(({ timer }) => (timer ? [timer._id] : []));
    const stored = doc ? (doc.timers ?? (await timers.ofActor(actor)).map(storedTimer)) : [];
    // Due timers fire before the requests (batch-decision.ts), and their commands may need the same reads.
    const due = stored.filter(
      ({ dueAt, event }) => dueAt <= now && Object.hasOwn(definition.commands, event.type),
    );
    const pending = [...due.map(({ event }) => ({ command: event, input: null, by: null })), ...requests];
    const isToSettle =
      requests.some(({ command, timer }) => (timer?.event ?? command)?.type === SETTLE) ||
      stored.some(({ dueAt, event }) => dueAt <= now && event.type === SETTLE);
    const [reads, members, known, existing] = await Promise.all([
      definition.prepare({ id, context: snapshot?.context ?? null, pending, now }),
      isToSettle && snapshot ? membersOf(batch, snapshot) : NO_MEMBERS,
      keyIds.length > 0 ? keysOf(keyIds, isViolated) : [],
      timerIds.length > 0 ? timers.findMany(timerIds) : [],
    ]);
    const prepared = {
      definition,
      actor,
      id,
      version: doc?.version ?? 0,
      snapshot,
      stored,
      timers: new Set(existing.map((timer) => timer._id)),
      answered: new Map(known.filter(({ expiresAt }) => expiresAt > now).map((key) => [key._id, key])),
      expiredKeys: known.filter(({ expiresAt }) => expiresAt <= now).map((key) => key._id),
      reads,
      members,
    };
    const decision = new BatchDecision(prepared, now);
    if (doc && isOutdated(doc, definition.version)) await rearm(decision, now, history.lately);
    return decision;
  };
}

const storedTimer = ({ timerId, event, dueAt }: TimerDoc): StoredTimer => ({ timerId, event, dueAt });
