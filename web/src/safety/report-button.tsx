import { Flag } from "lucide";
import { useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";
import { ReportDialog, type ReportTarget } from "./report-dialog.tsx";

type Props = {
  /** Whose it is. Nobody reports their own. */
  of: string;
  target: ReportTarget;
  /** What is in the dialog's field at first. */
  details?: string;
};

/** Reports a channel, clip or video to the staff. */
export function ReportButton({ of, target, details = "" }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (me.value?.id === of) return null;
  return (
    <>
      <button type="button" class="button quiet" onClick={() => setOpen(true)}>
        <Icon of={Flag} />
        {TEXTS.report.open}
      </button>
      {isOpen && <ReportDialog target={target} details={details} onClose={() => setOpen(false)} />}
    </>
  );
}
