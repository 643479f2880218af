import type { HistoryDoc } from "../../store/mongo/host/history.ts";

/** A public state: a status, and the step inside it that the machine is at, if any. */
export type PublicState<Status extends string, Detail extends string> = {
  status: Status;
  detail: Detail | null;
};

/** For machines whose top-level states are the public statuses: "resolved.paying" is resolved, at paying. */
export function publicState<Status extends string, Detail extends string>(
  path: string,
  known: { statuses: readonly Status[]; details: readonly Detail[] },
): PublicState<Status, Detail> {
  const [top = "", inside] = path.split(".");
  const status = known.statuses.find((one) => one === top);
  const detail = inside === undefined ? null : known.details.find((one) => one === inside);
  if (status === undefined || detail === undefined) throw new Error(`${path} has no public status`);
  return { status, detail };
}

/** Creates the view of a machine's state changes that owners and staff get. */
export function stateChangeView<Status extends string, Detail extends string>(
  stateOf: (path: string) => PublicState<Status, Detail>,
) {
  return ({ version, event, from, to, by, at }: HistoryDoc) => {
    const { status, detail } = stateOf(to);
    return {
      version,
      // The names of a machine's own timers are internal.
      event: event.startsWith("xstate.") ? "timer" : event,
      from: from === null ? null : stateOf(from).status,
      to: status,
      detail,
      by,
      at: at.toISOString(),
    };
  };
}
