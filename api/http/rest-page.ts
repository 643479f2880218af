import { type OpenApiDocument, operationsOf } from "../../contract/openapi-document.ts";
import { docsLayout, fold, type TocGroup } from "./docs-layout.ts";
import { html, joined } from "./html.ts";
import { markdown } from "./markdown.ts";
import { type PageSite, rootOf } from "./page-layout.ts";

/** The address in the commands of the introduction, which work as they are on the machine of a service. */
const WRITTEN_ADDRESS = "http://127.0.0.1:8080";

/**
 * The reference of the REST interface: the introduction with the address of this service, and below it the operations, which Swagger UI
 * renders. Everything is folded; the table of contents is ours.
 */
export function restPage(site: PageSite, document: OpenApiDocument): string {
  const { publicUrl } = site;
  const root = rootOf(publicUrl);
  const { title, version, description } = document.info;
  const [lead = "", ...sections] = description.replaceAll(WRITTEN_ADDRESS, publicUrl).split(/^## /m);
  const introduction = sections.map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const id = heading.toLowerCase().replaceAll(/[^a-z]+/g, "-");
    return { id, heading, body: markdown(lines.join("\n")).body };
  });
  return docsLayout({
    site,
    path: "docs",
    title: "REST API",
    description: "Every operation of the REST interface, with examples to try.",
    toc: [
      {
        title: "introduction",
        entries: introduction.map(({ id, heading }) => ({ href: `#${id}`, text: heading })),
      },
      ...groupsOf(document),
    ],
    content: html`<h1>${title} ${version}: REST API</h1>
${markdown(lead).body}<p>As a file: <a href="${root}v1/openapi.json">openapi.json</a></p>
${joined(introduction.map(({ id, heading, body }) => fold(id, html`${heading}`, body)))}`,
    below: html`<link rel="stylesheet" href="${root}docs/assets/swagger-ui.css">
<div id="page"></div>
<noscript><p>The operations need JavaScript.</p></noscript>
`,
    scripts: [`${root}docs/assets/swagger-ui-bundle.js`, `${root}docs/start.js`],
  });
}

function groupsOf(document: OpenApiDocument): TocGroup[] {
  const operations = operationsOf(document);
  return document.tags.map(({ name }) => ({
    title: name,
    entries: operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, operation: { operationId, summary } }) => ({
        // As Swagger UI writes deep links.
        href: `#/${name}/${operationId}`,
        text: summary.replace(/\.$/, ""),
        words: `${method.toUpperCase()} ${path} ${operationId}`,
      })),
  }));
}

/** Shows the operations with this service's address in their examples. A link of the table of contents opens its operation. */
export const START = `"use strict";
const base = new URL("..", document.querySelector("script[src$='docs/start.js']").src).href.replace(/\\/$/, "");
const dark = matchMedia("(prefers-color-scheme: dark)");
const setColours = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", setColours);
setColours();
fetch(base + "/v1/openapi.json").then((answer) => answer.json()).then((spec) => {
  spec.servers = [{ url: base }];
  spec.info = { title: "Operations", version: spec.info.version };
  const ui = SwaggerUIBundle({
    spec, dom_id: "#page", deepLinking: true, docExpansion: "none", defaultModelsExpandDepth: 0, validatorUrl: null,
  });
  addEventListener("hashchange", () => ui.layoutActions.parseDeepLinkHash(location.hash));
});
`;
