import type { FunctionComponent, VNode } from "preact";
import { useState } from "preact/hooks";
import { sayMissing } from "../../components/later.tsx";
import { scriptOf } from "../../site/script.ts";
import type { CutSource } from "./cut-source.ts";

type Cutter = FunctionComponent<{ source: CutSource; onClose: () => void }>;
const script = scriptOf<Cutter>(async () => (await import("./clip-cutter.tsx")).ClipCutter);
type Opened = { source: CutSource; Cutter: Cutter };

/** The dialog that makes clips, whose script is loaded when it is first opened. */
export function useCutter(): { isOpen: boolean; dialog: VNode | null; open(source: CutSource): void } {
  const [opened, setOpened] = useState<Opened | null>(null);
  return {
    isOpen: opened !== null,
    dialog: opened && <opened.Cutter source={opened.source} onClose={() => setOpened(null)} />,
    open(source) {
      void script.load().then((Cutter) => {
        if (Cutter) setOpened({ source, Cutter });
        else sayMissing();
      });
    },
  };
}
