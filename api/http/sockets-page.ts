import {
  type AsyncApiDocument,
  isCommand,
  type SocketChannel,
  type SocketMessage,
} from "../../specs/contract/asyncapi-document.ts";
import type { JsonSchema } from "../../specs/contract/openapi-document.ts";
import { escaped, type Html, html, joined, markdown } from "./html.ts";

export const SOCKETS_STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid; }
h3 { margin-top: 2rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid gray; padding: .2rem .6rem; text-align: left; vertical-align: top; }
pre { border: 1px solid gray; padding: .6rem; overflow-x: auto; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
`;

/** Renders the sockets' document as a static page: addresses, topics, commands, messages, close codes, schemas. */
export function socketsPage(document: AsyncApiDocument): string {
  const { info, channels, components } = document;
  const commands = Object.values(components.messages).filter(isCommand);
  const events = Object.values(components.messages).filter((message) => message["x-topics"]);
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>livecore: sockets</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/sockets.css">
<body>
<p><a href="/docs">REST</a> · <a href="/v1/asyncapi.json">AsyncAPI document</a></p>
<h1>${info.title} ${info.version}</h1>
${markdown(info.description)}
<h2 id="addresses">Addresses</h2>
${joined(Object.values(channels).map(addressPart))}
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
${joined(Object.entries(components.schemas).map(schemaPart))}
`;
  return page.text;
}

function addressPart({ address, title, description, "x-refusals": codes, ...more }: SocketChannel): Html {
  const query = more.bindings.$ref.endsWith("/room") ? "?ticket=…&after=<epoch>:<seq>" : "?ticket=…";
  return html`<h3>${title}</h3>
<pre>${address}${query}</pre>
${markdown(description)}
<p>Refused with ${codeList(codes)}.</p>
`;
}

function topicTable({ "x-topics": topics }: AsyncApiDocument): Html {
  const rows = Object.values(topics).map(
    ({ name, description, messages }) =>
      html`<tr><td><code>${name}</code></td><td>${description}</td><td>${joined(messages.map(messageLink), ", ")}</td></tr>`,
  );
  return html`<table><tr><th>topic</th><th>description</th><th>messages</th></tr>${joined(rows)}</table>\n`;
}

const messageLink = (type: string): Html => html`<a href="#message-${type}"><code>${type}</code></a>`;

function commandPart({ name, summary, description, payload, examples, ...more }: SocketMessage): Html {
  const result = more["x-result"];
  return html`<h3 id="command-${name}"><code>${name}</code></h3>
<p>${summary}</p>
${markdown(description ?? "")}
${exampleBlocks(examples)}
<p>Schema ${schemaLink(payload.$ref)}, answered with ${result ? schemaLink(result.$ref) : "nothing"} or refused with
${codeList(more["x-errors"] ?? [])}.</p>
`;
}

function messagePart({ name, summary, payload, examples, ...more }: SocketMessage): Html {
  return html`<h3 id="message-${name}"><code>${name}</code></h3>
<p>${summary} Schema ${schemaLink(payload.$ref)}; sent on ${joined(
    (more["x-topics"] ?? []).map((topic) => html`<code>${topic}</code>`),
    ", ",
  )}${RECEIVED_BY[more["x-for"] ?? "everybody"]}.</p>
${exampleBlocks(examples)}
`;
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
  return html`<table><tr><th>code</th><th>name</th><th>from</th><th>client</th><th>meaning</th></tr>${joined(rows)}</table>\n`;
}

function schemaPart([name, schema]: [string, JsonSchema]): Html {
  return html`<h3 id="schema-${name}"><code>${name}</code></h3>
<pre>${linked(JSON.stringify(schema, null, 2))}</pre>
`;
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
  joined(examples.map(({ payload }) => html`<pre>${JSON.stringify(payload, null, 2)}</pre>`));

const codeList = (codes: readonly string[]): Html =>
  joined(
    codes.map((code) => html`<code>${code}</code>`),
    ", ",
  );
