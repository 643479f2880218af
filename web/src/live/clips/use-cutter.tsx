import type { FunctionComponent, VNode } from "preact";
import { useState } from "preact/hooks";
import { problemOf } from "../../site/problems.ts";
import { say } from "../../site/toasts.ts";
import type { CutSource } from "./cut-source.ts";

type Cutter = FunctionComponent<{ source: CutSource; onClose: () => void }>;
type Opened = { source: CutSource; Cutter: Cutter };

/** The dialog that makes clips, whose script is loaded when it is first opened. */
export function useCutter(): { isOpen: boolean; dialog: VNode | null; open(source: CutSource): void } {
  const [opened, setOpened] = useState<Opened | null>(null);
  return {
    isOpen: opened !== null,
    dialog: opened && <opened.Cutter source={opened.source} onClose={() => setOpened(null)} />,
    open(source) {
      import("./clip-cutter.tsx").then(
        ({ ClipCutter }) => setOpened({ source, Cutter: ClipCutter }),
        (err: unknown) => say(problemOf(err), { isProblem: true }),
      );
    },
  };
}
