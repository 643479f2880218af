import { Menu } from "../../components/menu.tsx";
import { ALERT_KINDS, type AlertKind } from "../../embeds/overlay/settings.ts";
import { formatRecent } from "../../formats/dates.ts";
import { serverNow } from "../../site/service-clock.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";
import type { Overlay } from "./overlay.ts";

type Props = { overlay: Overlay; onEdit: () => void; onRenew: () => void; onRemove: () => void };

export function OverlayRow({ overlay, onEdit, onRenew, onRemove }: Props) {
  const texts = CONSOLE_TEXTS.overlays;
  const { name, kind } = overlay;
  const acts = [
    { act: onEdit, text: texts.edit, label: texts.editOf(name) },
    { act: onRenew, text: texts.renew, label: texts.renewOf(name) },
    { act: onRemove, text: texts.remove, label: texts.removeOf(name) },
  ];
  return (
    <li data-overlay={overlay.id} tabIndex={-1}>
      <div class="what">
        <b dir="auto">{name}</b>
        <p class="quiet">
          {texts.kinds[kind]} · {useOf(overlay)}
        </p>
      </div>
      <div class="actions">
        {kind === "alerts" && <TestMenu overlay={overlay} />}
        {acts.map(({ act, text, label }) => (
          <button key={text} type="button" class="button quiet" aria-label={label} onClick={act}>
            {text}
          </button>
        ))}
      </div>
    </li>
  );
}

function useOf({ has_link, last_used_at }: Overlay): string {
  const texts = CONSOLE_TEXTS.overlays;
  if (!has_link) return texts.linkEnded;
  return last_used_at === null ? texts.neverUsed : texts.lastUsed(formatRecent(last_used_at, serverNow()));
}

/** Which made-up alert to show where the overlay is open. */
function TestMenu({ overlay: { id, stream_id, name } }: { overlay: Overlay }) {
  const texts = CONSOLE_TEXTS.overlays;
  const test = async (kind: AlertKind): Promise<void> => {
    const path = { stream_id, overlay_id: id };
    const answer = await client.attempt("testOverlay", { path, body: { kind } }).catch(() => null);
    if (answer?.ok) say(texts.tested);
    else say(answer ? answer.error.message : texts.notTested, { isProblem: true });
  };
  return (
    <Menu label={texts.testOf(name)} button={<span class="button quiet">{texts.test}</span>}>
      <ul>
        {ALERT_KINDS.map((kind) => (
          <li key={kind}>
            <button type="button" onClick={() => void test(kind)}>
              {texts.preview.alerts[kind]}
            </button>
          </li>
        ))}
      </ul>
    </Menu>
  );
}
