import { Flag } from "lucide";
import { useState } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import { ReportDialog } from "../safety/report-dialog.tsx";
import type { Schemas } from "../site/page-data.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

/** Reports a channel to the staff. Nobody reports their own. */
export function ReportButton({
  user,
  stream,
}: {
  user: Schemas["ChannelProfile"];
  stream: Schemas["Stream"];
}) {
  const [isOpen, setOpen] = useState(false);
  if (me.value?.id === user.id) return null;
  return (
    <>
      <button type="button" class="button quiet" onClick={() => setOpen(true)}>
        <Icon of={Flag} />
        {TEXTS.channel.report}
      </button>
      {isOpen && (
        <ReportDialog
          target={{ type: "stream", id: stream.id, name: nameOf(user) }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
