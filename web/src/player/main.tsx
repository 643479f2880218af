import { render } from "preact";
import { openPage } from "../page.ts";
import { Player } from "./player.tsx";
import "../page.css";
import "./player.css";

const page = openPage();
render(<Player page={page} />, page.root);
