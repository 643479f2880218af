import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import { PictureForm } from "./picture-form.tsx";

/** As many as a page of a list has at most. */
const PER_PAGE = 100;
type Emote = Schemas["ChatEmote"];

/** The channel's emotes, by their names. */
export function EmoteList({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.emotes;
  const path = { stream_id: streamId };
  const read = useRead("listChannelEmotes", { path, query: { per_page: PER_PAGE } });
  const rest = useRead(
    "listChannelEmotes",
    read.data?.has_more ? { path, query: { per_page: PER_PAGE, page: 2 } } : null,
  );
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Emote | null>(null);
  const changed = (): void => {
    read.again();
    if (rest.data) rest.again();
  };
  return (
    <Panel
      title={texts.emotes}
      aside={
        <button type="button" class="button" onClick={() => setAdding(true)}>
          {texts.addEmote}
        </button>
      }
    >
      <p class="quiet">{texts.emotesHint}</p>
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{texts.noEmotes}</p>
          ) : (
            <ul class="rows chat-pictures">
              {[...items, ...(rest.data?.items ?? [])].map((emote) => (
                <li key={emote.id}>
                  <img src={emote.url} alt="" width="28" height="28" />
                  <div class="what">
                    <bdi>{emote.name}</bdi>
                    <span class="quiet">
                      {emote.min_tier ? texts.fromTier(emote.min_tier) : texts.everybody}
                    </span>
                  </div>
                  <button
                    type="button"
                    class="button quiet"
                    aria-label={texts.removeOf(emote.name)}
                    onClick={() => setRemoving(emote)}
                  >
                    {texts.remove}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {read.data?.has_more && <Loaded read={rest}>{() => null}</Loaded>}
      {isAdding && (
        <PictureForm
          kind="emote"
          send={(body, { name, tier }, idempotencyKey) =>
            client.call("addChannelEmote", { path, body, query: { name, min_tier: tier }, idempotencyKey })
          }
          onAdded={() => {
            setAdding(false);
            changed();
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {removing && (
        <RemovalDialog
          title={texts.removeTitle(removing.name)}
          hint={texts.removeHint.emote}
          go={texts.remove}
          said={texts.removed(removing.name)}
          remove={() => client.call("deleteChannelEmote", { path: { ...path, emote_id: removing.id } })}
          onRemoved={changed}
          onClose={() => setRemoving(null)}
        />
      )}
    </Panel>
  );
}
