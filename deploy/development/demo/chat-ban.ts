import type { Account } from "./cast.ts";
import { type Check, check } from "./report.ts";
import { type Stage, signedIn, until } from "./stage.ts";

const BAN_MINUTES = 10;

type Banning = {
  reporter: Account;
  banned: Account;
  reportId: string;
  decidedAt: number;
  code: string;
};

/**
 * The last viewer misbehaves and the first reports it; staff claim the case and time the author out. The author's next message is
 * refused.
 */
export async function reportAndBan(stage: Stage, staff: Account): Promise<Banning> {
  const { creator, tally, progress } = stage;
  const path = { stream_id: creator.streamId };
  const all = signedIn(stage.viewers);
  const [reporter, banned] = [all[0]?.account, all.at(-1)?.account];
  if (!reporter || !banned) throw new Error("Nobody is there to report anybody.");
  // By REST, whose client retries when it is rate limited.
  const say = (content: string) => banned.client.attempt("sendChatMessage", { path, body: { content } });
  const sent = await say("You are all fools");
  if (!sent.ok) throw sent.error;
  if ("held" in sent.data) throw new Error("A channel without blocked terms held a message.");
  tally.acknowledged.add(sent.data.uuid);

  const report = await reportOf(stage, reporter, sent.data.uuid);
  const decidedAt = await decide(staff, sent.data.uuid);
  const refused = await say("And I say it again");
  const code = refused.ok ? "-" : refused.error.code;
  const waitMs = refused.ok ? 0 : (refused.error.retryAfterMs ?? 0);
  progress.done(
    `${reporter.username} reported ${banned.username}, ${staff.username} decided: ${code} for ${(waitMs / 60_000).toFixed(1)} min`,
  );
  return { reporter, banned, reportId: report.id, decidedAt, code };
}

/** A message can be reported only about a second after it was sent. */
const reportOf = (stage: Stage, { client }: Account, uuid: string) =>
  until(
    stage,
    async () => {
      const body = { target_type: "chat_message", target_id: uuid, reason_code: "harassment" } as const;
      const report = await client.attempt("createReport", { body });
      if (report.ok) return report.data;
      // Reports are limited, too: on a busy machine it may have been asked for often.
      if (!["not_found", "rate_limited"].includes(report.error.code)) throw report.error;
      return null;
    },
    {
      waitingFor: "the message to be stored, so that it can be reported",
      withinMs: 60_000,
      everyMs: 1_000,
      late: () => "The message can't be reported.",
    },
  );

/** Returns when it was decided, Unix ms. */
async function decide({ client }: Account, uuid: string): Promise<number> {
  for await (const { id, target_id: target } of client.each("listReports")) {
    if (target !== uuid) continue;
    const path = { report_id: id };
    await client.call("handleReport", { path, body: { action: "claim" } });
    const measure = {
      type: "chat_ban",
      reason: "Be kind to one another.",
      duration_seconds: BAN_MINUTES * 60,
    } as const;
    const decided = await client.call("handleReport", { path, body: { action: "act", measures: [measure] } });
    return Date.parse(decided.decided_at ?? "");
  }
  throw new Error("The report isn't in the queue of staff.");
}

export async function auditBan({ creator }: Stage, banning: Banning): Promise<Check[]> {
  const { reporter, banned, reportId, decidedAt, code } = banning;
  const { items } = await reporter.client.call("listMyReports");
  const room = await banned.client.call("getChatRoom", { path: { stream_id: creator.streamId } });
  const { restriction } = room;
  // The ban's duration counts from when it takes effect, a moment after the decision.
  const minutes = Math.round((Date.parse(restriction?.expires_at ?? "") - decidedAt) / 60_000);
  return [
    check("the report is", "actioned", items.find(({ id }) => id === reportId)?.status ?? "-"),
    check("the next line of its author is refused with", "timed_out", code),
    check("minutes from the decision to the end of the ban", BAN_MINUTES, minutes),
  ];
}
