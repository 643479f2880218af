import type { Request } from "express";
import type { ServiceError } from "../../contract/errors.ts";
import { html } from "./html.ts";
import { type PageSite, pageLayout, pagePolicy, rootOf, SITE_STYLE } from "./page-layout.ts";

/** Whether the caller would rather have a page than JSON, as browsers say when they open an address. */
export const prefersPage = (req: Request): boolean =>
  (req.method === "GET" || req.method === "HEAD") && req.accepts(["json", "html"]) === "html";

export const ERROR_PAGE_POLICY = pagePolicy(SITE_STYLE);

/** What a person sees who opened an address that isn't there, or can't be shown now. */
export function errorPage(site: PageSite, { status, message }: ServiceError): string {
  const isMissing = status === 404;
  const title = isMissing ? "Page not found" : "This page can't be shown";
  return pageLayout({
    site,
    title,
    head: html`<meta name="robots" content="noindex">\n`,
    main: html`<h1>${title}</h1>
<p>${isMissing ? "The address may be mistyped, or the channel may be gone." : message}</p>
<p><a href="${rootOf(site.publicUrl)}">Go to the home page</a></p>
`,
  }).text;
}
