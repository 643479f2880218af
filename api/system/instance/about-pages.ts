import { type RequestHandler, Router } from "express";
import type { AdmitPages } from "../../http/admit-pages.ts";
import { type Html, html, joined } from "../../http/html.ts";
import { markdown } from "../../http/markdown.ts";
import { pageLayout, pagePolicy, rootOf, SITE_STYLE } from "../../http/page-layout.ts";
import { ABOUT_PAGES, type AboutPage, type Instance } from "./instance.ts";

const CACHE_S = 60;
const TITLES: Record<AboutPage, string> = {
  rules: "Rules",
  terms: "Terms of service",
  privacy: "Privacy",
  imprint: "Imprint",
};
const isAboutPage = (name: string): name is AboutPage => ABOUT_PAGES.some((page) => page === name);

/** Serves the operator's own pages, in the frame of the others. They are rendered once, since they belong to the configuration. */
export function aboutPages(
  { publicUrl, instance }: { publicUrl: string; instance: Instance },
  { media }: AdmitPages,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { light, dark } = instance.accents;
  const style = `${SITE_STYLE}:root { --accent: light-dark(${light}, ${dark}); }\n`;
  const policy = pagePolicy(style);
  const root = rootOf(publicUrl);
  for (const [page, source] of instance.pages) {
    const { text } = aboutPage(page, source, { root, publicUrl, instance, style });
    const send: RequestHandler = (_req, res) => {
      res.set({ "Content-Security-Policy": policy, "Cache-Control": `public, max-age=${CACHE_S}` });
      res.type("html").send(text);
    };
    router.get(`/about/${page}`, media, send);
  }
  return router;
}

type Frame = { root: string; publicUrl: string; instance: Instance; style: string };

function aboutPage(page: AboutPage, source: string, { root, publicUrl, instance, style }: Frame): Html {
  const linkTo = (target: string): string | null => {
    if (/^(?:https?:|mailto:|#)/i.test(target)) return target;
    const [, name = "", anchor = ""] = /^(?:\.\/)?([a-z]+)(?:\.md)?(#.*)?$/.exec(target) ?? [];
    return isAboutPage(name) && instance.pages.has(name) ? `${root}about/${name}${anchor}` : null;
  };
  const { body, headings } = markdown(source, { linkTo });
  const title = headings.find(({ depth }) => depth === 1)?.text ?? TITLES[page];
  const others = [...instance.pages.keys()].filter((name) => name !== page);
  const links = others.map((name) => html`<a href="${root}about/${name}">${TITLES[name]}</a>`);
  return pageLayout({
    site: { publicUrl, name: instance.name, logo: instance.logo },
    title,
    style,
    head: html`<link rel="canonical" href="${publicUrl}/about/${page}">\n`,
    main: html`${headings.some(({ depth }) => depth === 1) ? html`` : html`<h1>${title}</h1>\n`}${body}${links.length === 0 ? html`` : html`<p>${joined(links, " · ")}</p>\n`}`,
  });
}
