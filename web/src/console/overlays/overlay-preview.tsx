import { useEffect, useRef, useState } from "preact/hooks";
import { isReadyMessage, previewMessage } from "../../embeds/overlay/preview-messages.ts";
import {
  ALERT_KINDS,
  type AlertKind,
  type OverlayKind,
  type Settings,
} from "../../embeds/overlay/settings.ts";
import { to } from "../../site/page-data.ts";
import { CONSOLE_TEXTS } from "../../texts/console-texts.ts";

type Props = { kind: OverlayKind; settings: Settings };

/** The overlay's own page, over a ground that shows what is transparent, with made-up contents. */
export function OverlayPreview({ kind, settings }: Props) {
  const { preview } = CONSOLE_TEXTS.overlays;
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const post = (alert: AlertKind | null): void =>
    frame.current?.contentWindow?.postMessage(previewMessage({ settings, alert }), location.origin);
  useEffect(() => {
    setReady(false);
    const onMessage = ({ origin, source, data }: MessageEvent<unknown>): void => {
      const isOurs = origin === location.origin && source === frame.current?.contentWindow;
      if (isOurs && isReadyMessage(data)) setReady(true);
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, [kind]);
  // An alert that is there to begin with says what its settings do.
  useEffect(() => {
    if (isReady) post(kind === "alerts" ? (settings.alert_kinds[0] ?? null) : null);
  }, [isReady]);
  useEffect(() => {
    if (isReady) post(null);
  }, [JSON.stringify(settings)]);
  return (
    <div class="overlay-preview">
      <h3>{preview.title}</h3>
      <div class="picture">
        <iframe key={kind} ref={frame} title={preview.frame} src={to(`/overlay/${kind}#preview`)} />
      </div>
      {kind === "alerts" && (
        <div class="actions">
          <span>{preview.show}</span>
          {ALERT_KINDS.map((one) => (
            <button key={one} type="button" class="button quiet" onClick={() => post(one)}>
              {preview.alerts[one]}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
