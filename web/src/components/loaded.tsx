import type { ComponentChildren } from "preact";
import type { Read } from "../site/read.ts";
import { TEXTS } from "../texts/texts.ts";

type Props<Data> = {
  read: Read<Data>;
  /** What it will look like, while it is read for the first time. */
  skeleton?: ComponentChildren;
  /** Instead of the problem's text, for what isn't there. */
  missing?: ComponentChildren;
  children: (data: Data) => ComponentChildren;
};

const NOT_FOUND = 404;

/** What was read, or why it isn't there and how to go on. */
export function Loaded<Data>({ read, skeleton, missing, children }: Props<Data>) {
  const { data, problem, status, again } = read;
  if (data !== undefined) return <>{children(data)}</>;
  if (problem === null) {
    return (
      <div class="loading" aria-busy="true">
        {skeleton ?? <p class="note">{TEXTS.loading}</p>}
      </div>
    );
  }
  if (status === NOT_FOUND && missing !== undefined) return <>{missing}</>;
  return (
    <div class="problem" role="alert">
      <p>{problem}</p>
      <button type="button" class="button" onClick={again}>
        {TEXTS.tryAgain}
      </button>
    </div>
  );
}
