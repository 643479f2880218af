import { render } from "preact";
import { chooseLanguage } from "../site/language.ts";
import { findReader } from "../site/reader.ts";
import { Site } from "./site.tsx";
import "../notifications/push/follow-session.ts";
import "../base.css";

const root = document.getElementById("site");
if (!root) throw new Error("The page has no place for the site.");

// Not awaited by the module itself: a language's own module needs this one's.
void chooseLanguage().then(() => render(<Site />, root));
findReader();
