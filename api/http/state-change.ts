import type { HistoryDoc } from "../../store/mongo/history.ts";

/** A state as the interface has it: a status, and the step inside it that the machine is at, if any. */
export type PublicState<Status extends string, Detail extends string> = {
  status: Status;
  detail: Detail | null;
};

/** Where a machine's top-level states are the public statuses: "resolved.paying" is resolved, at paying. */
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

/** Makes the view of a machine's changes of state, as owners and staff read them. */
export function stateChangeView<Status extends string, Detail extends string>(
  stateOf: (path: string) => PublicState<Status, Detail>,
) {
  return ({ version, event, from, to, by, at }: HistoryDoc) => {
    const { status, detail } = stateOf(to);
    return {
      version,
      // How a machine names its own timers is nobody's business.
      event: event.startsWith("xstate.") ? "timer" : event,
      from: from === null ? null : stateOf(from).status,
      to: status,
      detail,
      by,
      at: at.toISOString(),
    };
  };
}
