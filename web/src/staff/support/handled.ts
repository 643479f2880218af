import type { Schemas } from "../../site/page-data.ts";

/** The states that staff give a request. */
export type Handled = "answered" | "closed";

export const canBecome = ({ status }: Pick<Schemas["SupportRequest"], "status">, to: Handled): boolean =>
  status === "open" || (status === "answered" && to === "closed");
