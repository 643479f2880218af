import { render } from "preact";
import { Overlay } from "./overlay.tsx";
import { PreviewOverlay } from "./preview.tsx";
import { OVERLAY_KINDS } from "./settings.ts";
import "../../base.css";
import "../../chat/lines.css";
import "./overlay.css";

// The page's own script counts how often it has loaded the page again because this one didn't come (api/discovery/embeds/pages.ts).
try {
  sessionStorage.removeItem("livecore-overlay-reloads");
} catch {
  // Blocked: then nothing was counted.
}
const root = document.getElementById("page");
if (!root) throw new Error("The page has no place for it.");
/** The fragment, which browsers send to nobody: the token of the link, or that the console shows it. */
const given = location.hash.slice(1);
const kind = OVERLAY_KINDS.find((one) => location.pathname.endsWith(`/overlay/${one}`));
if (given === "preview" && kind) render(<PreviewOverlay kind={kind} />, root);
else if (given !== "") render(<Overlay token={given} />, root);
