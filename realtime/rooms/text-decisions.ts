import { unavailable } from "../../contract/errors.ts";
import type { Grant } from "../../contract/scopes.ts";
import type { ChatMessage } from "../../contract/wire.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { AUTHOR_BUDGET, cpuBudgets, type Spend } from "./config/cpu-budget.ts";
import { barredBy, type Member } from "./config/members.ts";
import type { RoomConfig } from "./config/room-configs.ts";
import { RoomText } from "./config/room-text.ts";
import { heldDraft, NOT_HELD } from "./held.ts";
import { packIdentity, type RoomIdentity } from "./identities.ts";
import { type CheckedText, checkText, messageTextOf } from "./message-check.ts";
import type { Patience } from "./patience.ts";
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
  sender: { userId: string; sessionId?: string | null; grant?: Pick<Grant, "kind"> | null };
  content: string;
  nonce: string | null;
  /** Null for an ordinary message. */
  act: Admission["act"];
  /** How long it may wait for all that. */
  patience: Patience;
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
    const { streamId, identity, sender, content, nonce, act, patience, chargedTo, messageOf } = text;
    const { userId, sessionId = null, grant = null } = sender;
    const context = contextOf(streamId, userId, identity, patience);
    const spend = chargedTo === null ? free : budgets.of(chargedTo);
    const roomText = new RoomText(content);
    let known: ReturnType<typeof messageTextOf> | null = null;

    function inputOf(
      config: RoomConfig,
      member: Member,
    ): { rules: Omit<Admission, "runId">; message: ChatMessage } {
      const globals = context.globals();
      // Reading the CPU time isn't free, so it is read once for both.
      const { checked, ...properties } = spend(() => ({
        ...(known ?? messageTextOf(roomText)),
        checked: checkText(roomText, { config, globals }, { ...member, isBot: grant?.kind === "personal" }),
      }));
      known = properties;
      const { verdict } = checked;
      const message = messageOf(checked);
      const { factsBefore, ...lookedUp } = context.now();
      const now = nowMs();
      const mayBeHeld = verdict?.action === "hold" || properties.hasLink;
      const rules = {
        streamId,
        userId,
        sessionId,
        nonce,
        act,
        identity: packIdentity(identity),
        backlogLimit: BACKLOG_LIMIT,
        ...properties,
        ...lookedUp,
        nowMs: now,
        // A time that specs move doesn't pass by itself.
        waitedMs: now === null ? patience.waitedMs() : 0,
        emotesOnly: checked.emotesOnly,
        verdict: verdict?.action ?? null,
        barredBy: barredBy(member),
        configVersion: config.version,
        member: { ...member, factsBefore },
        held: mayBeHeld ? heldDraft(streamId, message, verdict) : NOT_HELD,
      };
      return { rules, message };
    }

    return async function decide(
      runScript: RunScript,
    ): Promise<{ decision: Decision; message: ChatMessage }> {
      for (let tries = 0; tries < ATTEMPTS; tries++) {
        const config = await context.config();
        const member = await context.member();
        // Checked in its turn, so that a text which waited too long costs nothing more.
        const reply = await states.withState(
          streamId,
          ({ id, node }) =>
            patience.inTurn(async () => {
              const { rules, message } = inputOf(config, member);
              return { ...(await runScript(node, { ...rules, runId: id }, message)), message };
            }),
          patience,
        );
        if (!needsLookup(reply)) return { decision: reply, message: reply.message };
        await context.learn(reply);
      }
      throw unavailable();
    };
  };
}
