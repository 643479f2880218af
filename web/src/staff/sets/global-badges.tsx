import { useState } from "preact/hooks";
import { PagedRows } from "../../components/paged-rows.tsx";
import { RemovalDialog } from "../../components/removal-dialog.tsx";
import { GrantForm } from "../../console/emotes/grant-form.tsx";
import { PictureForm } from "../../console/emotes/picture-form.tsx";
import { Panel } from "../../console/panel.tsx";
import type { Schemas } from "../../site/page-data.ts";
import { usePaged } from "../../site/paged.tsx";
import { client } from "../../site/session.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import { STAFF_TEXTS } from "../../texts/staff-texts.ts";

type Badge = Schemas["ChatBadge"];
/** What stands above the list. */
type Open = { form: true } | { removal: Badge } | { grant: Badge };

/** Those of roles and subscriptions, which can't be given or deleted, have a word as their id. */
const isGiven = ({ id }: Badge): boolean => /^[0-9a-f-]{36}$/.test(id);

/** Badges of all chats, and who gets one. */
export function GlobalBadges() {
  const { sets } = STAFF_TEXTS;
  const { emotes: texts } = CONSOLE_TEXTS;
  const pages = usePaged("listBadges", {});
  const [open, setOpen] = useState<Open | null>(null);
  // A late answer closes no dialog that was opened since.
  const close = (): void => setOpen((now) => (now === open ? null : now));
  return (
    <Panel
      title={sets.badges}
      aside={
        <button type="button" class="button" onClick={() => setOpen({ form: true })}>
          {texts.addBadge}
        </button>
      }
    >
      <p class="quiet">{sets.badgesHint}</p>
      <div class="chat-pictures">
        <PagedRows pages={pages} empty={sets.noBadges}>
          {(badge) => <Row key={badge.id} badge={badge} onOpen={setOpen} />}
        </PagedRows>
      </div>
      {open && "form" in open && (
        <PictureForm
          kind="badge"
          send={(body, { name }, idempotencyKey) =>
            client.call("addGlobalBadge", { body, query: { name }, idempotencyKey })
          }
          onAdded={() => {
            close();
            pages.again();
          }}
          onClose={close}
        />
      )}
      {open && "removal" in open && (
        <RemovalDialog
          title={texts.removeTitle(open.removal.name)}
          hint={texts.removeHint.badge}
          go={texts.remove}
          said={texts.removed(open.removal.name)}
          remove={() => client.call("deleteGlobalBadge", { path: { badge_id: open.removal.id } })}
          onRemoved={pages.again}
          onClose={close}
        />
      )}
      {open && "grant" in open && (
        <GrantForm
          badge={open.grant}
          give={(user_id) =>
            client.call("grantGlobalBadge", { path: { badge_id: open.grant.id, user_id }, body: {} })
          }
          take={(user_id) => client.call("revokeGlobalBadge", { path: { badge_id: open.grant.id, user_id } })}
          onClose={close}
        />
      )}
    </Panel>
  );
}

function Row({ badge, onOpen }: { badge: Badge; onOpen: (open: Open) => void }) {
  const { emotes: texts } = CONSOLE_TEXTS;
  return (
    <li>
      <img src={badge.image_url} alt="" width="18" height="18" />
      <bdi class="what">{badge.name}</bdi>
      {isGiven(badge) && (
        <div class="actions">
          <button
            type="button"
            class="button quiet"
            aria-label={texts.grant.actOf(badge.name)}
            onClick={() => onOpen({ grant: badge })}
          >
            {texts.grant.act}
          </button>
          <button
            type="button"
            class="button quiet"
            aria-label={texts.removeOf(badge.name)}
            onClick={() => onOpen({ removal: badge })}
          >
            {texts.remove}
          </button>
        </div>
      )}
    </li>
  );
}
