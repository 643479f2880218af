import { unavailable } from "../../specs/contract/errors.ts";
import type { ChatMessage } from "../../specs/contract/wire.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { AUTHOR_BUDGET, cpuBudgets, type Spend } from "./config/cpu-budget.ts";
import { barredBy } from "./config/members.ts";
import { heldDraft, NOT_HELD } from "./held.ts";
import { packIdentity, type RoomIdentity } from "./identities.ts";
import { type CheckedText, checkText, textOf } from "./message-check.ts";
import type { RoomStates } from "./room-state.ts";
import type { Admission, AdmissionCheckReply, AdmissionReply } from "./scripts/admit.ts";
import { createSenderContext, type Lookups, type NeedsLookup, needsLookup } from "./sender-context.ts";

/** Entries in a shard's live stream from which on chat is refused (back-pressure): about 200 MB over all shards. */
const BACKLOG_LIMIT = 50_000;
/** Configuration, member, follow and "has chatted before" may each be missing once, and may change in the meantime. */
const ATTEMPTS = 8;
/** How many authors a worker keeps a CPU budget for. */
const MAX_AUTHORS = 20_000;

type StateNotCurrent = { kind: "stateMissing" | "otherServer" };
export type Decision = Exclude<AdmissionReply | AdmissionCheckReply, NeedsLookup | StateNotCurrent>;

/** Admits a message, or only looks whether it would be admitted. */
type RunScript = (
  node: RedisConnection,
  admission: Admission,
  message: ChatMessage,
) => Promise<AdmissionReply | AdmissionCheckReply>;

/** A text that somebody wants to show in a room. */
type SpokenText = {
  streamId: string;
  identity: RoomIdentity;
  sender: { userId: string; sessionId?: string | null; isBot?: boolean };
  content: string;
  nonce: string | null;
  /** Null for an ordinary message. */
  act: Admission["act"];
  /** Whose budget of CPU time pays for the check: one for each sender. Null for texts that nobody can repeat as they like. */
  chargedTo: string | null;
  /** The message that it becomes. Called for each attempt. */
  messageOf(checked: CheckedText): ChatMessage;
};

export type TextDecisions = ReturnType<typeof createTextDecisions>;

/**
 * The gate for every text that a room shows: checks it with the room's configuration and what is known about its author, and
 * lets one script decide. The script knows which of both are current; if the worker used others, it asks for a retry.
 * Throws unavailable while a store that it needs is unavailable, and rate_limited for a sender whose texts take too much CPU
 * time to check.
 */
export function createTextDecisions(deps: {
  states: RoomStates;
  lookups: Lookups;
  /** Null: time-based rules use the Redis server's clock. */
  nowMs: () => number | null;
}) {
  const { states, nowMs } = deps;
  const budgets = cpuBudgets({ share: AUTHOR_BUDGET, max: MAX_AUTHORS });
  const contextOf = createSenderContext(deps.lookups);
  const free: Spend = (work) => work();

  /** What it returns may run several times, with a dry run and then with the admission; it keeps what it has looked up. */
  return function decisionOn(text: SpokenText) {
    const { streamId, identity, sender, content, nonce, act, chargedTo, messageOf } = text;
    const { userId, sessionId = null, isBot = false } = sender;
    const context = contextOf(streamId, userId, identity);
    const spend = chargedTo === null ? free : budgets.of(chargedTo);
    const { textHash, normalisedHash, hasLink } = spend(() => textOf(content));
    const fixed = {
      streamId,
      userId,
      sessionId,
      textHash,
      normalisedHash,
      hasLink,
      nonce,
      act,
      identity: packIdentity(identity),
      backlogLimit: BACKLOG_LIMIT,
    };

    return async function decide(
      runScript: RunScript,
    ): Promise<{ decision: Decision; message: ChatMessage }> {
      for (let tries = 0; tries < ATTEMPTS; tries++) {
        const config = await context.config();
        const member = await context.member();
        const globals = context.globals();
        const checked = spend(() => checkText(content, { config, globals }, { ...member, isBot }));
        const { verdict } = checked;
        const message = messageOf(checked);
        const { factsBefore, ...lookedUp } = context.now();
        const rules = {
          ...fixed,
          ...lookedUp,
          nowMs: nowMs(),
          emotesOnly: checked.emotesOnly,
          verdict: verdict?.action ?? null,
          barredBy: barredBy(member),
          configVersion: config.version,
          member: { ...member, factsBefore },
          held: verdict?.action === "hold" || hasLink ? heldDraft(streamId, message, verdict) : NOT_HELD,
        };
        const reply = await states.withState(streamId, ({ id, node }) =>
          runScript(node, { ...rules, runId: id }, message),
        );
        if (!needsLookup(reply)) return { decision: reply, message };
        await context.learn(reply);
      }
      throw unavailable();
    };
  };
}
