import {
  type AsyncApiDocument,
  isCommand,
  type SocketChannel,
  type SocketMessage,
} from "../../contract/asyncapi-document.ts";
import type { JsonSchema } from "../../contract/openapi-document.ts";
import { docsLayout, fold, type TocGroup } from "./docs-layout.ts";
import { escaped, type Html, html, joined } from "./html.ts";
import { markdown } from "./markdown.ts";
import { type PageSite, rootOf } from "./page-layout.ts";

/** Renders the sockets' document as a static page: addresses, topics, commands, messages, close codes, schemas. */
export function socketsPage(site: PageSite, document: AsyncApiDocument): string {
  const { publicUrl } = site;
  const root = rootOf(publicUrl);
  const { info, channels, components } = document;
  const commands = Object.values(components.messages).filter(isCommand);
  const events = Object.values(components.messages).filter((message) => message["x-topics"]);
  const schemas = Object.entries(components.schemas);
  const content = html`<h1>${info.title} ${info.version}: events</h1>
${markdown(info.description).body}
<p>As a file: <a href="${root}v1/asyncapi.json">asyncapi.json</a></p>
<h2 id="addresses">Addresses</h2>
${joined(Object.values(channels).map((channel) => addressPart(publicUrl.replace(/^http/, "ws"), channel)))}
<h2 id="topics">Topics</h2>
${topicTable(document)}
<h2 id="commands">Commands</h2>
<p>One JSON object per frame; the reply repeats its <code>id</code>.</p>
${joined(commands.map(commandPart))}
<h2 id="messages">Messages</h2>
<p>Each frame is an array of messages.</p>
${joined(events.map(messagePart))}
<h2 id="close-codes">Close codes</h2>
${closeCodeTable(document)}
<h2 id="schemas">Schemas</h2>
${joined(schemas.map(schemaPart))}
`;
  const named = (kind: string, messages: readonly SocketMessage[]) =>
    messages.map(({ name, summary }) => ({ href: `#${kind}-${name}`, text: name, words: summary }));
  const toc: TocGroup[] = [
    {
      title: "Overview",
      entries: [
        { href: "#addresses", text: "Addresses" },
        { href: "#topics", text: "Topics" },
        { href: "#close-codes", text: "Close codes" },
      ],
    },
    { title: "Commands", entries: named("command", commands) },
    { title: "Messages", entries: named("message", events) },
    { title: "Schemas", entries: schemas.map(([name]) => ({ href: `#schema-${name}`, text: name })) },
  ];
  return docsLayout({
    site,
    path: "docs/sockets",
    title: "Events",
    description: "Topics, commands, messages and close codes of the sockets.",
    toc,
    content,
  });
}

function addressPart(
  socketUrl: string,
  { address, title, description, "x-refusals": codes, ...more }: SocketChannel,
): Html {
  const query = more.bindings.$ref.endsWith("/room") ? "?ticket=…&after=<epoch>:<seq>" : "?ticket=…";
  return html`<h3>${title}</h3>
<pre tabindex="0">${socketUrl}${address}${query}</pre>
${markdown(description).body}
<p>Refused with ${codeList(codes)}.</p>
`;
}

function topicTable({ "x-topics": topics }: AsyncApiDocument): Html {
  const rows = Object.values(topics).map(
    ({ name, description, messages }) =>
      html`<tr><td><code>${name}</code></td><td>${description}</td><td>${joined(messages.map(messageLink), ", ")}</td></tr>`,
  );
  return html`<div class="wide" tabindex="0"><table><tr><th>topic</th><th>description</th><th>messages</th></tr>${joined(rows)}</table></div>\n`;
}

const messageLink = (type: string): Html => html`<a href="#message-${type}"><code>${type}</code></a>`;

function commandPart({ name, summary, description, payload, examples, ...more }: SocketMessage): Html {
  const result = more["x-result"];
  const title = html`<code>${name}</code> ${summary}`;
  return fold(
    `command-${name}`,
    title,
    html`${markdown(description ?? "").body}
${exampleBlocks(examples)}
<p>Schema ${schemaLink(payload.$ref)}, answered with ${result ? schemaLink(result.$ref) : "nothing"} or refused with
${codeList(more["x-errors"] ?? [])}.</p>
`,
  );
}

function messagePart({ name, summary, payload, examples, ...more }: SocketMessage): Html {
  const topics = (more["x-topics"] ?? []).map((topic) => html`<code>${topic}</code>`);
  return fold(
    `message-${name}`,
    html`<code>${name}</code> ${summary}`,
    html`<p>Schema ${schemaLink(payload.$ref)}; sent on ${joined(topics, ", ")}${RECEIVED_BY[more["x-for"] ?? "everybody"]}.</p>
${exampleBlocks(examples)}
`,
  );
}

/** Who in a room gets a message, behind the list of its topics. */
const RECEIVED_BY = {
  everybody: "",
  moderators: ", to the owner and moderators alone",
  socket: ", to one socket",
} as const;

function closeCodeTable({ "x-close-codes": codes }: AsyncApiDocument): Html {
  const rows = codes.map(
    ({ code, name, from, comeBack, meaning }) =>
      html`<tr><td>${code}</td><td><code>${name}</code></td><td>${from}</td><td>${comeBack ? "reconnects" : "doesn't reconnect"}</td><td>${meaning}</td></tr>`,
  );
  return html`<div class="wide" tabindex="0"><table><tr><th>code</th><th>name</th><th>from</th><th>client</th><th>meaning</th></tr>${joined(rows)}</table></div>\n`;
}

function schemaPart([name, schema]: [string, JsonSchema]): Html {
  return fold(
    `schema-${name}`,
    html`<code>${name}</code>`,
    html`<pre tabindex="0">${linked(JSON.stringify(schema, null, 2))}</pre>
`,
  );
}

/** Links references to the schemas on the page. */
function linked(json: string): Html {
  const parts = json.split(/"#\/components\/schemas\/(\w+)"/);
  return joined(parts.map((part, i) => (i % 2 === 0 ? escaped(part) : html`"${schemaLink(`/${part}`)}"`)));
}

function schemaLink(ref: string): Html {
  const name = ref.slice(ref.lastIndexOf("/") + 1);
  return html`<a href="#schema-${name}"><code>${name}</code></a>`;
}

const exampleBlocks = (examples: SocketMessage["examples"]): Html =>
  joined(examples.map(({ payload }) => html`<pre tabindex="0">${JSON.stringify(payload, null, 2)}</pre>`));

const codeList = (codes: readonly string[]): Html =>
  joined(
    codes.map((code) => html`<code>${code}</code>`),
    ", ",
  );
