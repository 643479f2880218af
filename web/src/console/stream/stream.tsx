import { ConsolePage } from "../console-page.tsx";

/** What a creator looks at before and during a broadcast. */
export function StreamConsole() {
  return <ConsolePage section="stream">{() => null}</ConsolePage>;
}
