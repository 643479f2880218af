import type { ClientSession } from "mongodb";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import { cpuBudgets } from "../../../realtime/rooms/config/cpu-budget.ts";
import { isSearchable } from "../../../realtime/rooms/config/literal-terms.ts";
import { RoomText } from "../../../realtime/rooms/config/room-text.ts";
import { MAX_REGEX_SIZE, regexSize } from "../../../realtime/rooms/config/term-regexes.ts";
import { compileTerms, type TermEffect } from "../../../realtime/rooms/config/terms.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { BlockedTermDoc, BlockedTerms } from "../../../store/mongo/chat/blocked-terms.ts";
import type { InternalActionType } from "../../../store/mongo/chat/moderation-actions.ts";
import {
  type ModerationChange,
  type ModerationLog,
  type ModeratorRequest,
  ROOM_RULE,
} from "./moderation-log.ts";

/** Limits per channel; regular expressions count towards MAX_TERMS too. */
const MAX_TERMS = 1_000;
const MAX_REGEXES = 50;
const MAX_REGEX_LENGTH = 260;
/** In place of an id, which terms have from one on. */
const DRAFT = 0;

type TermDraft = Pick<BlockedTermDoc, "term" | "isRegex" | "action">;
/** `by` is null too where the draft decided. */
type TestedText = { text: string; effect: TermEffect | null; by: BlockedTermDoc | null; isByDraft: boolean };
type Test = { texts: readonly string[]; author: { isEmailVerified: boolean }; draft: TermDraft | null };

/** `changed` is null when nothing changed. */
type Written<Result> = { result: Result; changed: TermDraft | null };

type BlockedTermsDeps = {
  moderationLog: ModerationLog;
  terms: BlockedTerms;
  newId(): Promise<number>;
  /** Publishes this version of a room's configuration to where all workers find it. */
  shareConfig(streamId: string, version: number): Promise<void>;
};

/** A channel's blocked terms. Once a change has been answered, it applies to every message that is admitted afterwards. */
export function createBlockedTerms({ moderationLog, terms, newId, shareConfig }: BlockedTermsDeps) {
  const budgets = cpuBudgets({ max: 1_000 });

  async function commit<Result>(
    moderating: ModeratorRequest,
    action: InternalActionType,
    write: (stream: StreamDoc, session: ClientSession) => Promise<Written<Result>>,
  ): Promise<Result> {
    const { streamId, by } = moderating;
    const lastRun: Result[] = [];
    const stream = await moderationLog.enforce(moderating, ROOM_RULE, async (before, session) => {
      const { result, changed } = await write(before, session);
      // A transaction may run more than once: the result of the last run, which is the one committed, counts.
      lastRun[0] = result;
      return changed && changeOf(before, { by, action, changed });
    });
    await shareConfig(streamId, stream.chatConfigVersion ?? 0);
    const [result] = lastRun;
    if (result === undefined) throw new Error("a change of terms has a result");
    return result;
  }

  const changeOf = (
    stream: StreamDoc,
    { by, action, changed }: { by: string; action: InternalActionType; changed: TermDraft },
  ): ModerationChange => ({
    changesConfig: true,
    effects: [],
    events: [{ type: "mod.terms", data: { version: (stream.chatConfigVersion ?? 0) + 1 } }],
    log: [
      moderationLog.entry(
        stream,
        { by, targetId: null },
        { action, reason: `${changed.action}: ${changed.term}` },
      ),
    ],
  });

  return {
    page: terms.page,

    /**
     * Idempotent: a term that the channel already has is given the new action. Throws validation_failed for a term that doesn't
     * compile, and limit_reached.
     */
    async add(moderating: ModeratorRequest, draft: TermDraft): Promise<BlockedTermDoc> {
      const { streamId, by } = moderating;
      const size = budgets.of(streamId)(() => sizeOf(draft));
      const _id = await newId();
      return commit(moderating, "term_added", async (stream, session) => {
        const known = await terms.named(streamId, draft, session);
        if (known) {
          const doc = { ...known, action: draft.action };
          if (known.action === draft.action) return { result: doc, changed: null };
          await terms.replace(doc, session);
          return { result: doc, changed: doc };
        }
        const doc: BlockedTermDoc = {
          _id,
          streamId,
          channelId: stream.userId,
          ...draft,
          size,
          createdBy: by,
          createdAt: moderationLog.now(),
        };
        await terms.insert(doc, session);
        requireWithinLimits(await terms.totals(streamId, session));
        return { result: doc, changed: doc };
      });
    },

    /** Throws what `add` throws, not_found, and term_taken when another term has the same text. */
    change: (moderating: ModeratorRequest, id: number, change: Partial<TermDraft>): Promise<BlockedTermDoc> =>
      commit(moderating, "term_changed", async ({ _id: streamId }, session) => {
        const known = await terms.find(streamId, id, session);
        if (!known) throw new ServiceError("not_found");
        const doc = { ...known, ...change };
        const isSame = doc.term === known.term && doc.isRegex === known.isRegex;
        if (isSame && doc.action === known.action) return { result: known, changed: null };
        if (!isSame) {
          if (await terms.named(streamId, doc, session)) throw new ServiceError("term_taken");
          doc.size = budgets.of(streamId)(() => sizeOf(doc));
        }
        await terms.replace(doc, session);
        requireWithinLimits(await terms.totals(streamId, session));
        return { result: doc, changed: doc };
      }),

    /** Throws not_found. */
    async remove(moderating: ModeratorRequest, id: number): Promise<void> {
      await commit(moderating, "term_removed", async ({ _id: streamId }, session) => {
        const gone = await terms.delete(streamId, id, session);
        if (!gone) throw new ServiceError("not_found");
        return { result: true, changed: gone };
      });
    },

    /**
     * A dry run: what would happen to these texts if an ordinary viewer sent them, and the draft were one of the terms. Throws
     * unavailable when the channel's terms take too much CPU time, and validation_failed for a draft that doesn't compile.
     */
    async test(streamId: string, { texts, author, draft }: Test): Promise<TestedText[]> {
      const runInBudget = budgets.of(streamId);
      if (draft) runInBudget(() => sizeOf(draft, "/body/draft/term"));
      const found = await terms.ofStream(streamId);
      // Adding a term that is there already changes what it does.
      const isReplaced = (one: TermDraft) => one.term === draft?.term && one.isRegex === draft.isRegex;
      const all = [...found.filter((one) => !isReplaced(one)), ...(draft ? [{ ...draft, _id: DRAFT }] : [])];
      const { judge } = runInBudget(() => compileTerms(all, runInBudget));
      return texts.map((text) => {
        const verdict = judge(new RoomText(text), author);
        return {
          text,
          effect: verdict?.effect ?? null,
          by: found.find(({ _id }) => _id === verdict?.by._id) ?? null,
          isByDraft: verdict?.by._id === DRAFT,
        };
      });
    },
  };
}

/** The compiled size of a regular expression; 0 for a literal term. Throws validation_failed. */
function sizeOf({ term, isRegex }: TermDraft, path = "/body/term"): number {
  const refused = (rule: string, message: string) => invalid({ path, rule, message });
  if (!isRegex) {
    if (isSearchable(term)) return 0;
    throw refused("searchable", "must have something that can be looked for");
  }
  if ([...term].length > MAX_REGEX_LENGTH) {
    throw refused("maxLength", `must have at most ${MAX_REGEX_LENGTH} characters as an expression`);
  }
  const size = regexSize(term);
  if (size === null) throw refused("regex", "must be a regular expression of RE2's syntax");
  if (size > MAX_REGEX_SIZE) throw refused("regexSize", "must not repeat or choose among so much");
  return size;
}

/** Throws limit_reached. */
function requireWithinLimits({
  count,
  regexes,
  size,
}: {
  count: number;
  regexes: number;
  size: number;
}): void {
  const exceeded: [number, number][] = [
    [count, MAX_TERMS],
    [regexes, MAX_REGEXES],
    [size, MAX_REGEX_SIZE],
  ];
  for (const [is, limit] of exceeded) if (is > limit) throw new ServiceError("limit_reached", { limit });
}
