import { Field } from "../components/field.tsx";
import { TextArea } from "../components/text-area.tsx";
import { faultOf, faultsIn } from "../site/problems.ts";
import { TEXTS } from "../texts/texts.ts";

type Takedown = { work: string; urls: string; isInGoodFaith: boolean; signature: string };

export const NO_TAKEDOWN: Takedown = { work: "", urls: "", isInGoodFaith: false, signature: "" };

/** As many addresses as the service takes, at their longest. */
const LONGEST = { work: 500, urls: 41_000, signature: 140 };

/** What a request to take something down has besides. */
export const takedownOf = ({ work, urls, isInGoodFaith, signature }: Takedown) => ({
  work,
  urls: urls.split(/\s+/).filter((url) => url !== ""),
  good_faith: isInGoodFaith,
  signature,
});

type Props = { takedown: Takedown; onChange: (takedown: Takedown) => void; refusal: unknown };

/** The work, where it is used, and that the sender stands for it. */
export function TakedownFields({ takedown, onChange, refusal }: Props) {
  const { support, problems } = TEXTS;
  const change = (changed: Partial<Takedown>) => onChange({ ...takedown, ...changed });
  const urlFault = faultsIn(refusal).find(({ path }) => path.startsWith("/body/urls"));
  return (
    <>
      <TextArea
        name="work"
        label={support.work}
        value={takedown.work}
        onValue={(work) => change({ work })}
        hint={support.workHint}
        fault={faultOf(refusal, "work")}
        maxLength={LONGEST.work}
        rows={3}
        required
      />
      <TextArea
        name="urls"
        label={support.urls}
        value={takedown.urls}
        onValue={(urls) => change({ urls })}
        hint={support.urlsHint}
        fault={urlFault ? problems.field(problems.names.link, urlFault.message) : null}
        maxLength={LONGEST.urls}
        required
      />
      <label class="check">
        <input
          type="checkbox"
          name="good_faith"
          required
          checked={takedown.isInGoodFaith}
          onChange={({ currentTarget }) => change({ isInGoodFaith: currentTarget.checked })}
        />
        {support.goodFaith}
      </label>
      <Field
        name="signature"
        label={support.signature}
        value={takedown.signature}
        onValue={(signature) => change({ signature })}
        hint={support.signatureHint}
        fault={faultOf(refusal, "signature")}
        autoComplete="name"
        maxLength={LONGEST.signature}
        required
      />
    </>
  );
}
