import { history } from "./history.ts";
import type { Aftermath } from "./kill.ts";
import { type Check, check, percentiles } from "./report.ts";
import type { Stage } from "./stage.ts";

/** Compares what the viewers saw of the chat with the history that REST returns. */
export async function auditChat(stage: Stage, aftermath: Aftermath | null): Promise<Check[]> {
  const { visitor, creator, viewers, tally } = stage;
  const listed = await history(visitor, creator.streamId);
  const whole = viewers.filter(
    ({ seen }) =>
      seen.breaks === 0 &&
      seen.uuids.length === listed.length &&
      seen.uuids.every((uuid, i) => uuid === listed[i]),
  );
  const stored = new Set(listed);
  const lost = [...tally.acknowledged].filter((uuid) => !stored.has(uuid));
  return [
    check(
      "messages acknowledged are in the history",
      tally.acknowledged.size,
      tally.acknowledged.size - lost.length,
    ),
    check("messages in the history were acknowledged", listed.length, tally.acknowledged.size),
    check("viewers that saw every message once, in order", viewers.length, whole.length),
    ...(aftermath ? [check("viewers cut off that caught up again", aftermath.lost, aftermath.back)] : []),
  ];
}

export function figures({ tally }: Stage, aftermath: Aftermath | null): string {
  const refused = [...tally.refused].map(([code, count]) => `${code} ${count}`).join(" · ") || "none";
  return [
    `  sent → acknowledged, ms   ${percentiles(tally.ackMs)}`,
    `  sent → seen, ms           ${percentiles(tally.deliveryMs)}   (${tally.deliveryMs.length} deliveries)`,
    ...(aftermath ? [`  kill → caught up, ms      ${percentiles(aftermath.tookMs)}`] : []),
    `  refused                   ${refused}`,
  ].join("\n");
}
