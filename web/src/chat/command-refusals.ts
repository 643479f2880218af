import { LivecoreError } from "@livecore/client";
import { faultsIn } from "../site/problems.ts";
import { TEXTS } from "../texts/texts.ts";
import { type Reason, refusalOf, said } from "./refusals.ts";

/** Why a command was refused. The service says what it expects. */
export function commandRefusalOf(err: unknown): Reason {
  if (!(err instanceof LivecoreError)) return said(TEXTS.chat.notSent);
  const fault = faultsIn(err).find(({ rule }) => rule === "command");
  if (fault) return said(TEXTS.chat.commandExpected(fault.message));
  return err.code === "not_found" ? said(TEXTS.chat.noSuchUser) : refusalOf(err, true);
}
