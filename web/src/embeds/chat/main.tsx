import { render } from "preact";
import { openPage } from "../page.ts";
import { EmbeddedChat } from "./embedded-chat.tsx";
import "../page.css";
import "../../chat/chat.css";

const page = openPage();
render(<EmbeddedChat page={page} />, page.root);
