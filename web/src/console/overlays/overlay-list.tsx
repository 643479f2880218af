import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { useUserTopic, whenMissed } from "../../site/user-topic.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import type { Overlay } from "./overlay.ts";
import { OverlayForm } from "./overlay-form.tsx";
import { OverlayRow } from "./overlay-row.tsx";
import { RenewDialog } from "./renew-dialog.tsx";

/** What stands beside the list. */
type Open =
  | { form: Overlay | null }
  | { renewal: Overlay }
  | { removal: Overlay }
  | { link: Schemas["CreatedOverlay"] };

/** As many as a channel may have. */
const ALL = 20;

/** The channel's overlays, and what makes and changes them. */
export function OverlayList({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.overlays;
  const path = { stream_id: streamId };
  const read = useRead("listOverlays", { path, query: { per_page: ALL } });
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  useUserTopic(
    (topic) => [
      ...whenMissed(topic, read.again),
      topic.on("overlay.updated", ({ data }) =>
        read.change((page) => ({
          ...page,
          items: page.items.map((one) => (one.id === data.id ? data : one)),
        })),
      ),
    ],
    streamId,
  );
  /** The list is read again whether there was an answer or not: a lost one may have been of a success. */
  const showLink = async (made: Promise<Schemas["CreatedOverlay"]>): Promise<void> => {
    try {
      setOpen({ link: await made });
    } finally {
      read.again();
    }
  };
  const pathOf = ({ id }: Overlay) => ({ ...path, overlay_id: id });
  return (
    <>
      <Panel
        title={texts.title}
        aside={
          <button type="button" class="button" onClick={() => setOpen({ form: null })}>
            {texts.add}
          </button>
        }
      >
        <p class="quiet">{texts.hint}</p>
        <Loaded read={read}>
          {({ items }) =>
            items.length === 0 ? (
              <p>{texts.none}</p>
            ) : (
              <ul class="rows overlays">
                {items.map((overlay) => (
                  <OverlayRow
                    key={overlay.id}
                    overlay={overlay}
                    onEdit={() => setOpen({ form: overlay })}
                    onRenew={() => setOpen({ renewal: overlay })}
                    onRemove={() => setOpen({ removal: overlay })}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      {open && "form" in open && (
        <OverlayForm
          key={open.form?.id ?? "new"}
          streamId={streamId}
          overlay={open.form}
          create={(body) => showLink(client.call("createOverlay", { path, body }))}
          onSaved={(now) => {
            close();
            read.change((page) => ({
              ...page,
              items: page.items.map((one) => (one.id === now.id ? now : one)),
            }));
          }}
          onClose={close}
        />
      )}
      {open && "renewal" in open && (
        <RenewDialog
          name={open.renewal.name}
          renew={() => showLink(client.call("renewOverlay", { path: pathOf(open.renewal) }))}
          onClose={close}
        />
      )}
      {open && "link" in open && <LinkDialog overlay={open.link} onClose={close} />}
      {open && "removal" in open && (
        <RemovalDialog
          title={texts.removeTitle(open.removal.name)}
          hint={texts.removeHint}
          go={texts.remove}
          said={texts.removed(open.removal.name)}
          remove={() => client.call("deleteOverlay", { path: pathOf(open.removal) })}
          onRemoved={read.again}
          onClose={close}
        />
      )}
    </>
  );
}
