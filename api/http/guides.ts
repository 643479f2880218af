import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { docsLayout } from "./docs-layout.ts";
import { type Html, html, joined } from "./html.ts";
import { markdown } from "./markdown.ts";
import { rootOf } from "./page-layout.ts";

/** The folders of `docs` whose pages are served. */
const FOLDERS = ["", "machines", "decisions"];

/** The Markdown pages below `folder`, as pages of the site. They are read once, since they belong to the release. */
export function createGuides(folder: string, publicUrl: string) {
  const root = rootOf(publicUrl);
  const paths = FOLDERS.flatMap((sub) => pagesIn(folder, sub));
  const known = new Set(paths);
  const rendered = new Map<string, string>();

  /** Links between guides stay; files of the repository aren't served. */
  const linkFrom = (path: string) => (target: string) => {
    if (/^(https?:|mailto:|#)/.test(target)) return target;
    const [file = "", anchor] = target.split("#");
    const to = posix.normalize(posix.join(posix.dirname(path), file)).replace(/\.md$/, "");
    if (known.has(to)) return `${root}docs/guides/${to}${anchor === undefined ? "" : `#${anchor}`}`;
    return to !== "" && FOLDERS.includes(to) ? `${root}docs/guides#${to}` : null;
  };
  const titleOf = (path: string) => /^# (.+)$/m.exec(read(path))?.[1]?.replaceAll("`", "") ?? path;
  const read = (path: string) => readFileSync(join(folder, `${path}.md`), "utf8");
  const listOf = (sub: string): Html => {
    const pages = paths.filter((path) => posix.dirname(path) === (sub || ".") && path !== "README");
    return html`<ul>
${joined(pages.map((path) => html`<li><a href="${root}docs/guides/${path}">${titleOf(path)}</a></li>\n`))}</ul>
`;
  };

  function page(path: string): string {
    const { body, headings } = markdown(read(path), linkFrom(path));
    const entries = headings
      .filter(({ depth }) => depth === 2)
      .map(({ id, text }) => ({ href: `#${id}`, text }));
    const toc = [{ title: "On this page", entries }];
    return docsLayout({
      publicUrl,
      path: `docs/guides/${path}`,
      title: titleOf(path),
      description: `${titleOf(path)}: a guide to livecore.`,
      toc,
      isOpen: true,
      content: body,
    });
  }

  function index(): string {
    const groups = FOLDERS.map((sub) => ({
      title: sub === "" ? "guides" : sub,
      entries: paths
        .filter((path) => posix.dirname(path) === (sub || ".") && path !== "README")
        .map((path) => ({ href: `${root}docs/guides/${path}`, text: titleOf(path) })),
    }));
    const lead = known.has("README")
      ? markdown(read("README"), linkFrom("README")).body
      : html`<h1>Guides</h1>\n`;
    const all = html`<h2 id="all">All guides</h2>\n${listOf("")}<h2 id="machines">State machines</h2>\n${listOf("machines")}<h2 id="decisions">Decisions</h2>\n${listOf("decisions")}`;
    return docsLayout({
      publicUrl,
      path: "docs/guides",
      title: "Guides",
      description: "Guides for viewers, creators, API users and operators.",
      toc: groups,
      content: html`${lead}${all}`,
    });
  }

  function once(key: string, make: () => string): string {
    const made = rendered.get(key) ?? make();
    rendered.set(key, made);
    return made;
  }

  return {
    index: () => once("", index),
    /** Null for a page that isn't there. */
    page: (path: string): string | null => (known.has(path) ? once(path, () => page(path)) : null),
  };
}

function pagesIn(folder: string, sub: string): string[] {
  const where = join(folder, sub);
  if (!existsSync(where)) return [];
  return readdirSync(where)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => posix.join(sub, name.slice(0, -".md".length)));
}
