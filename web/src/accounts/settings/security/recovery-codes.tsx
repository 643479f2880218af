import { Download, Printer } from "lucide";
import { CopyButton } from "../../../components/copy-button.tsx";
import { download } from "../../../components/download.ts";
import { Icon } from "../../../components/icon.tsx";
import { TEXTS } from "../../../texts/texts.ts";

/** Codes that are shown only once, and the ways to keep them. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { security } = TEXTS.settings;
  const text = `${codes.join("\n")}\n`;
  return (
    <div class="form printed">
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="actions">
        <CopyButton text={text} />
        <button
          type="button"
          class="button quiet"
          onClick={() => download(new Blob([text], { type: "text/plain" }), security.codesFile)}
        >
          <Icon of={Download} />
          {security.downloadCodes}
        </button>
        <button type="button" class="button quiet" onClick={() => print()}>
          <Icon of={Printer} />
          {security.printCodes}
        </button>
      </div>
    </div>
  );
}
