import { useState } from "preact/hooks";
import { Loaded } from "../../components/loaded.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { Panel } from "../panel.tsx";
import { GrantForm } from "./grant-form.tsx";
import { PictureForm } from "./picture-form.tsx";

type Badge = Schemas["ChatBadge"];
/** What stands above the list. */
type Open = "form" | { removal: Badge } | { grant: Badge };

/** The channel's badges, and who gets one. */
export function BadgeList({ streamId }: { streamId: string }) {
  const texts = CONSOLE_TEXTS.emotes;
  const path = { stream_id: streamId };
  const read = useRead("listChannelBadges", { path, query: { per_page: 50 } });
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <Panel
      title={texts.badges}
      aside={
        <button type="button" class="button" onClick={() => setOpen("form")}>
          {texts.addBadge}
        </button>
      }
    >
      <p class="quiet">{texts.badgesHint}</p>
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{texts.noBadges}</p>
          ) : (
            <ul class="rows chat-pictures">
              {items.map((badge) => (
                <li key={badge.id}>
                  <img src={badge.image_url} alt="" width="18" height="18" />
                  <bdi class="what">{badge.name}</bdi>
                  <div class="actions">
                    <button
                      type="button"
                      class="button quiet"
                      aria-label={texts.grant.actOf(badge.name)}
                      onClick={() => setOpen({ grant: badge })}
                    >
                      {texts.grant.act}
                    </button>
                    <button
                      type="button"
                      class="button quiet"
                      aria-label={texts.removeOf(badge.name)}
                      onClick={() => setOpen({ removal: badge })}
                    >
                      {texts.remove}
                    </button>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {open === "form" && (
        <PictureForm
          kind="badge"
          send={(body, { name }, idempotencyKey) =>
            client.call("addChannelBadge", { path, body, query: { name }, idempotencyKey })
          }
          onAdded={() => {
            close();
            read.again();
          }}
          onClose={close}
        />
      )}
      {open !== null && open !== "form" && "removal" in open && (
        <RemovalDialog
          title={texts.removeTitle(open.removal.name)}
          hint={texts.removeHint.badge}
          go={texts.remove}
          said={texts.removed(open.removal.name)}
          remove={() => client.call("deleteChannelBadge", { path: { ...path, badge_id: open.removal.id } })}
          onRemoved={read.again}
          onClose={close}
        />
      )}
      {open !== null && open !== "form" && "grant" in open && (
        <GrantForm
          badge={open.grant}
          give={(user_id) =>
            client.call("grantChannelBadge", {
              path: { ...path, badge_id: open.grant.id, user_id },
              body: {},
            })
          }
          take={(user_id) =>
            client.call("revokeChannelBadge", { path: { ...path, badge_id: open.grant.id, user_id } })
          }
          onClose={close}
        />
      )}
    </Panel>
  );
}
