import type { Db } from "mongodb";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { ONE_CASE_A_TARGET, reportsIn } from "../../../store/mongo/safety/reports.ts";
import { isBeingErased } from "../../accounts/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import {
  type ActorDefinition,
  type Decision,
  type PendingCommand,
  type Refusal,
  refuse,
} from "../../host/definition.ts";
import { type ReportReads, type ReportTypes, reportEffects } from "./effects.ts";
import {
  REPORT_VERSION,
  type ReportCommand,
  type ReportContext,
  type ReportEvent,
  reportCommands,
  reportContext,
  reportInput,
  reportMachine,
} from "./machine.ts";
import { reportCaseDoc } from "./view.ts";

/** Reporters notified per commit. */
const NOTIFY_BATCH = 1_000;

export type ReportDefinition = ActorDefinition<ReportTypes>;

export function reportDefinition(db: Db): ReportDefinition {
  const reports = reportsIn(db);
  const users = usersIn(db);
  const streams = streamsIn(db);
  return {
    name: "report",
    version: REPORT_VERSION,
    machine: reportMachine,
    context: reportContext,
    input: reportInput,
    commands: reportCommands,

    async prepare({ id, context, pending }) {
      const reporters = reportersOf(pending);
      const acts = actsOf(pending);
      const rooms = acts.flatMap(({ measures }) => measures.flatMap(({ streamId }) => streamId ?? []));
      const [known, subject, found] = await Promise.all([
        context && reporters.length > 0 ? reports.ofReporters(id, reporters, context) : [],
        context && acts.length > 0 ? users.find(context.subjectUserId) : null,
        rooms.length > 0 ? streams.findMany(rooms) : [],
      ]);
      return {
        reporters: new Set(known.flatMap(({ reporterId }) => reporterId ?? [])),
        subject,
        streams: new Map(found.map((stream) => [stream._id, stream])),
        taken: { banned: null },
      };
    },

    // Optimistic lock: the account isn't made staff or erased between this read and the measures against it.
    guards: ({ subject }) =>
      subject
        ? [
            {
              collection: "users",
              id: subject._id,
              has: {
                isStaff: subject.isStaff,
                status: subject.status,
                "deletion.erasedAs": subject.deletion?.erasedAs ?? null,
              },
            },
          ]
        : [],

    // Of two concurrent first reports, the second is retried and finds the case of the first.
    unique: { [ONE_CASE_A_TARGET]: { code: "invalid_state" } },
    decide,
    effects: reportEffects(db),
    settling: {
      states: ["actioned.telling", "dismissed.telling"],
      batchSize: NOTIFY_BATCH,
      after: reports.after,
      progress: ({ settled }) => settled,
      advance: ({ cursor }, members) => ({ cursor: members.at(-1)?._id ?? cursor }),
    },
    save: (states, session) => reports.saveCases(states.map(reportCaseDoc), session),
    answer: (state, { reads: { taken } }) => ({ doc: reportCaseDoc(state), taken }),
  };
}

type Pending = PendingCommand<ReportTypes>;

/** The reporters, and the staff members, who must not have reported the case themselves. */
const reportersOf = (pending: Pending[]) =>
  pending.flatMap(({ command }) => {
    if (command?.type === "report") return command.reporterId ?? [];
    return command && command.type !== "release" ? command.staffId : [];
  });

const actsOf = (pending: Pending[]) =>
  pending.flatMap(({ command }) => (command?.type === "act" ? [command] : []));

type Scope = { state: ActorState<ReportContext>; reads: ReportReads };

/** Checks that the state chart alone can't make: who has claimed the case, and who may be acted on. */
function decide(command: ReportCommand, { state, reads }: Scope): Decision<ReportEvent> {
  const { status, context } = state;
  switch (command.type) {
    case "report": {
      const { reporterId } = command;
      return {
        ok: true,
        event: { ...command, first: reporterId === null || !reads.reporters.has(reporterId) },
      };
    }
    case "claim":
      if (command.staffId === context.subjectUserId || reads.reporters.has(command.staffId))
        return refuse("forbidden");
      if (status === "reviewing" && command.staffId !== context.claimedBy)
        return refuse("invalid_state", { status });
      return { ok: true, event: command };
    case "release":
    case "dismiss":
    case "act": {
      // A decided case is refused as decided, before claims are checked.
      if (status !== "open" && status !== "reviewing") return refuse("invalid_state", { status });
      if (command.staffId !== context.claimedBy) return refuse("not_claimed");
      // Also if they have reported it since the claim.
      if (command.type !== "release" && reads.reporters.has(command.staffId)) return refuse("forbidden");
      const refusal = command.type === "act" ? refuseMeasures(command, { state, reads }) : null;
      return refusal ? { ok: false, refusal } : { ok: true, event: command };
    }
  }
}

type Act = Extract<ReportCommand, { type: "act" }>;

function refuseMeasures({ measures }: Act, { reads }: Scope): Refusal | null {
  const { subject, streams } = reads;
  for (const { type, streamId } of measures) {
    if (type === "warning" || type === "remove_content") continue;
    if (!subject || isBeingErased(subject)) return { code: "not_found" };
    if (subject.isStaff) return { code: "forbidden" };
    if (type !== "chat_ban") continue;
    const stream = streams.get(streamId ?? "");
    if (!stream) return { code: "not_found" };
    if (stream.userId === subject._id) return { code: "forbidden" };
  }
  return null;
}
