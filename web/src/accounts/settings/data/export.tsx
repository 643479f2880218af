import { useState } from "preact/hooks";
import { download } from "../../../components/download.ts";
import { Refused } from "../../../components/refused.tsx";
import { useSubmit } from "../../../components/use-submit.ts";
import { TEXTS } from "../../../texts/texts.ts";
import { withStepUp } from "../../step-up/step-up.ts";
import { CutShortError, readExport } from "./read-export.ts";

/** A file with everything, and how much of it has come. */
export function Export() {
  const { settings } = TEXTS;
  const { data } = settings;
  const [bytes, setBytes] = useState(0);
  const [isDone, setDone] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    setDone(false);
    setBytes(0);
    const { file, name } = await withStepUp(() => readExport(setBytes));
    download(file, name);
    setDone(true);
  });
  const size = settings.bytes(bytes);
  return (
    <section class="box">
      <h2>{data.exportTitle}</h2>
      <p>{data.exportHint}</p>
      <p role="status" hidden={!isBusy && !isDone}>
        {isBusy && data.exporting(size)}
        {isDone && data.exported(size)}
      </p>
      {isBusy && <progress aria-label={data.exportTitle} />}
      {refusal instanceof CutShortError ? (
        <p class="fault" role="alert">
          {data.cutShort}
        </p>
      ) : (
        <Refused refusal={refusal} />
      )}
      <div class="actions">
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => void submit()}>
          {data.export}
        </button>
      </div>
    </section>
  );
}
