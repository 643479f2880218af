import { render } from "preact";
import { openPage } from "../page.ts";
import { Chat } from "./chat.tsx";
import "../page.css";
import "./chat.css";

const page = openPage();
render(<Chat page={page} />, page.root);
