import { useMemo, useState } from "preact/hooks";
import { DialogForm } from "../../../components/dialog-form.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { poolOf } from "../../../points/odds.ts";
import type { Prediction } from "../../../points/prediction.ts";
import { AttemptKey } from "../../../site/attempt-key.ts";
import { client } from "../../../site/session.ts";
import { CONSOLE_TEXTS } from "../../../texts/console-texts.ts";

type Props = {
  prediction: Prediction;
  onKnown: (prediction: Prediction) => void;
  onClose: () => void;
};

/** Says what has happened: each outcome with what it pays, and to how many. */
export function ResolveDialog({ prediction, onKnown, onClose }: Props) {
  const texts = CONSOLE_TEXTS.stream.prediction;
  const [chosen, choose] = useState<string | null>(null);
  const key = useMemo(() => new AttemptKey(), []);
  const pool = poolOf(prediction);
  const submission = useSubmit(async () => {
    if (chosen === null) return;
    const request = { path: { prediction_id: prediction.id }, body: { outcome_id: chosen } };
    onKnown(
      await key.once(request, (idempotencyKey) =>
        client.call("resolvePrediction", { ...request, idempotencyKey }),
      ),
    );
    onClose();
  });
  return (
    <DialogForm title={texts.resolveTitle} submission={submission} go={texts.resolveGo} onClose={onClose}>
      <p dir="auto">{prediction.title}</p>
      <fieldset class="plain">
        <legend>{texts.winner}</legend>
        {prediction.outcomes.map(({ id, title, points_pool, bettor_count }) => (
          <label key={id} class="check explained">
            <input
              type="radio"
              name="outcome"
              value={id}
              required
              checked={chosen === id}
              onChange={() => choose(id)}
            />
            <span class="what">
              <bdi>{title}</bdi>
              <span class="quiet">{texts.paysOut(pool, points_pool, bettor_count)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </DialogForm>
  );
}
