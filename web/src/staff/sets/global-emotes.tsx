import { useState } from "preact/hooks";
import { PagedRows } from "../../components/paged-rows.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import { PictureForm } from "../../console/emotes/picture-form.tsx";
import { Panel } from "../../console/panel.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

/** Emotes that everybody can write everywhere. */
export function GlobalEmotes() {
  const { sets } = STAFF_TEXTS;
  const { emotes: texts } = CONSOLE_TEXTS;
  const pages = usePaged("listGlobalEmotes", {});
  /** Each its own, so that a late answer closes no other. */
  const [adding, setAdding] = useState<object | null>(null);
  const [removing, setRemoving] = useState<Schemas["ChatEmote"] | null>(null);
  const endAdding = (): void => setAdding((now) => (now === adding ? null : now));
  return (
    <Panel
      title={sets.emotes}
      aside={
        <button type="button" class="button" onClick={() => setAdding({})}>
          {texts.addEmote}
        </button>
      }
    >
      <p class="quiet">{sets.emotesHint}</p>
      <div class="chat-pictures">
        <PagedRows pages={pages} empty={sets.noEmotes}>
          {(emote) => (
            <li key={emote.id}>
              <img src={emote.url} alt="" width="28" height="28" />
              <bdi class="what">{emote.name}</bdi>
              <button
                type="button"
                class="button quiet"
                aria-label={texts.removeOf(emote.name)}
                onClick={() => setRemoving(emote)}
              >
                {texts.remove}
              </button>
            </li>
          )}
        </PagedRows>
      </div>
      {adding && (
        <PictureForm
          kind="emote"
          hasTiers={false}
          send={(body, { name }, idempotencyKey) =>
            client.call("addGlobalEmote", { body, query: { name }, idempotencyKey })
          }
          onAdded={() => {
            endAdding();
            pages.again();
          }}
          onClose={endAdding}
        />
      )}
      {removing && (
        <RemovalDialog
          title={texts.removeTitle(removing.name)}
          hint={texts.removeHint.emote}
          go={texts.remove}
          said={texts.removed(removing.name)}
          remove={() => client.call("deleteGlobalEmote", { path: { emote_id: removing.id } })}
          onRemoved={pages.again}
          onClose={() => setRemoving((now) => (now === removing ? null : now))}
        />
      )}
    </Panel>
  );
}
