import { type Html, html } from "../../http/html.ts";

export type EveningState =
  | { status: "off" }
  | { status: "starting" }
  | { status: "live"; username: string }
  | { status: "failed" };

/** The demo evening of a service in development; one at most runs. */
export type EveningControl = {
  /** Starts it unless it runs, and resolves with its state, at once: it may be starting. */
  start(): Promise<EveningState>;
  state(): EveningState;
};

export type Development = {
  /** Address of the page of mails; null where mails are sent elsewhere. */
  mailboxUrl: string | null;
  /** Null where a media service brings the pictures. */
  evening: EveningControl | null;
};

/** The part of the front page for the developer who runs the service. */
export function developmentPart(root: string, { mailboxUrl, evening }: Development, isLive: boolean): Html {
  const mail =
    mailboxUrl === null
      ? html``
      : html`<li><a href="${mailboxUrl}">Mails</a> that the service has sent. They stay on this machine.</li>\n`;
  return html`<section class="box">
<h2>In development</h2>
${evening ? eveningPart(root, evening.state(), isLive) : html``}<ul>
${mail}<li><code>npm run demo</code> plays an evening of a few minutes: viewers, chat, points, a prediction, a raid.</li>
<li><code>npm run media</code> takes a broadcast from OBS; it needs nginx and ffmpeg.</li>
</ul>
</section>
`;
}

function eveningPart(root: string, state: EveningState, isLive: boolean): Html {
  if (state.status === "live") {
    return html`<p>The demo evening is live: <a href="${root}${state.username}">watch ${state.username}</a>. It ends with the service.</p>\n`;
  }
  if (state.status === "starting") {
    return html`<p>The demo evening is starting. <a href="${root}demo">Wait for it</a></p>\n`;
  }
  const failed =
    state.status === "failed" ? html`<p role="alert">It couldn't start; the log says why.</p>\n` : html``;
  const lead = isLive
    ? html`<p>The demo evening is a channel that stays, with a test card and chat.</p>\n`
    : html`<p>Fill the page: the demo evening is a channel that stays, with a test card and chat.</p>\n`;
  return html`${failed}${lead}<form method="post" action="${root}demo"><p><button>Start the demo evening</button></p></form>\n`;
}
