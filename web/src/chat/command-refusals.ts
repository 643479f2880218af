import { LivecoreError } from "@livecore/client";
import { faultsIn } from "../site/problems.ts";
import { TEXTS } from "../texts/texts.ts";
import { type Reason, refusalOf, said } from "./refusals.ts";

/** How the service begins its list of all commands, for a text that names none of them. */
const OTHER_COMMANDS = "must begin with one of ";

/** Why the command in a text was refused. The service says what it expects. */
export function commandRefusalOf(err: unknown, text: string): Reason {
  if (!(err instanceof LivecoreError)) return said(TEXTS.chat.notSent);
  const fault = faultsIn(err).find(({ rule }) => rule === "command");
  if (fault?.message.startsWith(OTHER_COMMANDS)) {
    const [name = ""] = text.trim().split(/\s/);
    return said(TEXTS.composer.noSuchCommand(name));
  }
  if (fault) return said(TEXTS.composer.commandExpected(fault.message));
  return err.code === "not_found" ? said(TEXTS.composer.noSuchUser) : refusalOf(err, true);
}
