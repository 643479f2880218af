import { createClient } from "@livecore/client";
import { render } from "preact";
import { serviceUrl } from "../page.ts";
import { SignIn } from "./sign-in.tsx";
import "../page.css";
import "./sign-in.css";

const root = document.getElementById("page");
if (!root) throw new Error("The page has no place for it.");
// The service's own window: its sign-in cookies are sent from here, but not from embeds.
const client = createClient({
  baseUrl: serviceUrl(),
  auth: { mode: "cookie", serviceClient: "livecore-embeds" },
});
render(<SignIn client={client} />, root);
