import { useMemo } from "preact/hooks";
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

/** Gives everybody back what they have bet. */
export function CancelDialog({ prediction, onKnown, onClose }: Props) {
  const texts = CONSOLE_TEXTS.stream.prediction;
  const key = useMemo(() => new AttemptKey(), []);
  const submission = useSubmit(async () => {
    const request = { path: { prediction_id: prediction.id } };
    onKnown(
      await key.once(request, (idempotencyKey) =>
        client.call("cancelPrediction", { ...request, idempotencyKey }),
      ),
    );
    onClose();
  });
  return (
    <DialogForm
      title={texts.cancelTitle}
      submission={submission}
      go={texts.cancelGo}
      stay={texts.keep}
      isDanger
      onClose={onClose}
    >
      <p dir="auto">{prediction.title}</p>
      <p>{texts.paysBack(poolOf(prediction))}</p>
    </DialogForm>
  );
}
