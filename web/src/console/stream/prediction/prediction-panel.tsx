import { useEffect, useMemo, useState } from "preact/hooks";
import { laterDialog } from "../../../components/later.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { isOver, type Prediction } from "../../../points/prediction.ts";
import { AttemptKey } from "../../../site/attempt-key.ts";
import { useRead } from "../../../site/read.ts";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";
import { Panel } from "../../panel.tsx";
import type { Desk } from "../desk.ts";
import { StartActions } from "../questions/start-actions.tsx";
import { type Draft, draftOf, keepWindow } from "./draft.ts";
import { OpenPrediction, Result } from "./open-prediction.tsx";

const NewPrediction = laterDialog(async () => (await import("./new-prediction.tsx")).NewPrediction);

/** The channel's prediction as viewers bet on it, with all that its owner does with it; without one, the way to the next. */
export function PredictionPanel({ desk }: { desk: Desk }) {
  const texts = CONSOLE_TEXTS.stream.prediction;
  const path = { stream_id: desk.streamId };
  const read = useRead("listPredictions", { path, query: { per_page: 1 } });
  const [latest, setLatest] = useState<Prediction | null>(null);
  const [isMaking, make] = useState(false);
  const key = useMemo(() => new AttemptKey(), []);
  const shown = desk.prediction.shown.value;
  useEffect(() => {
    if (shown) setLatest(shown);
  }, [shown]);
  /** Throws the LivecoreError that refused it. */
  const open = async (draft: Draft): Promise<void> => {
    const opened = await key.once({ path, draft }, (idempotencyKey) =>
      client.call("createPrediction", { path, body: draft, idempotencyKey }),
    );
    keepWindow(opened.id, draft.duration_seconds);
    desk.prediction.known(opened);
  };
  const again = useSubmit(async () => {
    if (last) await open(draftOf(last));
  });
  const last = latest ?? read.data?.items[0] ?? null;
  return (
    <Panel title={texts.title} kind="of-prediction">
      {shown && !isOver(shown) ? (
        <OpenPrediction key={shown.id} prediction={shown} onKnown={(now) => desk.prediction.known(now)} />
      ) : (
        <Loaded read={read}>
          {() => (
            <>
              {shown ? <Result prediction={shown} /> : <p class="quiet">{texts.none}</p>}
              <StartActions
                make={texts.make}
                onMake={() => make(true)}
                last={last?.title ?? null}
                again={again}
              />
            </>
          )}
        </Loaded>
      )}
      {isMaking && <NewPrediction onOpen={open} onClose={() => make(false)} />}
    </Panel>
  );
}
