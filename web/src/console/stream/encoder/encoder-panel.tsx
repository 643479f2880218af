import { useState } from "preact/hooks";
import { CopyButton } from "../../../components/copy-button.tsx";
import { laterDialog } from "../../../components/later.tsx";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { Panel } from "../../panel.tsx";
import type { OwnStream } from "../own-stream.ts";

const RotateDialog = laterDialog(async () => (await import("./rotate-dialog.tsx")).RotateDialog);

type Props = {
  stream: OwnStream;
  /** While it has done its work. */
  isFolded: boolean;
  onStream: (stream: OwnStream) => void;
};

/** Where an encoder sends the stream, with which key, and how it is best set. */
export function EncoderPanel({ stream, isFolded, onStream }: Props) {
  const texts = CONSOLE_TEXTS.stream.encoder;
  return (
    <Panel title={texts.title} kind="encoder">
      {isFolded ? (
        <details>
          <summary>{texts.show}</summary>
          <Connection stream={stream} onStream={onStream} />
        </details>
      ) : (
        <Connection stream={stream} onStream={onStream} />
      )}
    </Panel>
  );
}

function Connection({ stream, onStream }: Omit<Props, "isFolded">) {
  const { encoder: texts } = CONSOLE_TEXTS.stream;
  const { server_url: server, stream_key: key } = stream;
  const [isShown, show] = useState(false);
  const [isRotating, rotate] = useState(false);
  return (
    <div class="facts-of-encoder">
      <dl>
        <dt>{texts.server}</dt>
        <dd>
          <code>{server}</code>
          <CopyButton text={server} label={texts.copyServer} />
        </dd>
        {key !== undefined && (
          <>
            <dt>{texts.key}</dt>
            <dd>
              <code class="key">{isShown ? key : texts.hiddenKey}</code>
              <button
                type="button"
                class="button quiet"
                aria-label={isShown ? texts.hideKey : texts.showKey}
                onClick={() => show(!isShown)}
              >
                {isShown ? TEXTS.hide : TEXTS.show}
              </button>
              <CopyButton text={key} label={texts.copyKey} />
              <button type="button" class="button quiet" onClick={() => rotate(true)}>
                {texts.rotate}
              </button>
            </dd>
          </>
        )}
      </dl>
      <p class="hint">{texts.keyHint}</p>
      <details>
        <summary>{texts.obs}</summary>
        <ul class="advice">
          {texts.obsSettings.map((setting) => (
            <li key={setting}>{setting}</li>
          ))}
        </ul>
      </details>
      {isRotating && (
        <RotateDialog
          isLive={stream.ingest.status !== "offline"}
          onStream={(now) => {
            show(false);
            onStream(now);
          }}
          onClose={() => rotate(false)}
        />
      )}
    </div>
  );
}
