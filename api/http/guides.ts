import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { docsLayout } from "./docs-layout.ts";
import { type Html, html, joined } from "./html.ts";
import { markdown } from "./markdown.ts";
import { type PageSite, rootOf } from "./page-layout.ts";

/** The folders of `docs` whose pages are served. */
const FOLDERS = ["", "machines", "decisions"];
const TITLES: Record<string, string> = { "": "Guides", machines: "State machines", decisions: "Decisions" };
/** The folder of pictures. */
export const PICTURES = "screens";

/** The Markdown pages below `folder`, as pages of the site. They are read once, since they belong to the release. */
export function createGuides(folder: string, site: PageSite) {
  const root = rootOf(site.publicUrl);
  const paths = FOLDERS.flatMap((sub) => pagesIn(folder, sub));
  const known = new Set(paths);
  const pictures = new Set(filesIn(folder, PICTURES, ".png"));
  const rendered = new Map<string, string>();

  /** Links between guides stay, and those to pictures; other files of the repository aren't served. */
  const linkFrom = (path: string) => (target: string) => {
    if (/^(https?:|mailto:|#)/.test(target)) return target;
    const [file = "", anchor] = target.split("#");
    const to = posix.normalize(posix.join(posix.dirname(path), file)).replace(/\.md$/, "");
    if (known.has(to)) return `${root}docs/guides/${to}${anchor === undefined ? "" : `#${anchor}`}`;
    if (pictures.has(to)) return `${root}docs/guides/${to}`;
    return to !== "" && FOLDERS.includes(to) ? `${root}docs/guides#${to}` : null;
  };
  const targetsFrom = (path: string) => ({ linkTo: linkFrom(path), pictureAt: linkFrom(path) });
  const titleOf = (path: string) => /^# (.+)$/m.exec(read(path))?.[1]?.replaceAll("`", "") ?? path;
  const read = (path: string) => readFileSync(join(folder, `${path}.md`), "utf8");
  const pagesOf = (sub: string) =>
    paths.filter((path) => posix.dirname(path) === (sub || ".") && posix.basename(path) !== "README");
  const listOf = (pages: readonly string[]): Html => html`<ul>
${joined(pages.map((path) => html`<li><a href="${root}docs/guides/${path}">${titleOf(path)}</a></li>\n`))}</ul>
`;

  /** The list of pages by their readers, with titles instead of names of files, and without what isn't served. */
  function lead(): { source: string; listed: ReadonlySet<string> } {
    const listed = new Set<string>();
    const lines = read("README")
      .split("\n")
      .flatMap((line) => {
        const [, target, rest] = /^- \[[^\]]+\]\(([^)]+)\)(.*)$/.exec(line) ?? [];
        if (target === undefined) return [line];
        const path = posix.normalize(target).replace(/\.md$/, "");
        if (linkFrom("README")(target) === null) return [];
        listed.add(path);
        const [title] = (TITLES[path] ?? titleOf(path)).split(":");
        return [`- [${title}](${target})${rest}`];
      });
    return { source: lines.join("\n"), listed };
  }

  function page(path: string): string {
    const { body, headings } = markdown(read(path), targetsFrom(path));
    const entries = headings
      .filter(({ depth }) => depth === 2)
      .map(({ id, text }) => ({ href: `#${id}`, text }));
    return docsLayout({
      site,
      path: `docs/guides/${path}`,
      title: titleOf(path),
      description: `${titleOf(path)}: a guide to livecore.`,
      toc: entries.length > 0 ? [{ title: "On this page", entries }] : allPages(),
      isOpen: entries.length > 0,
      content: body,
    });
  }

  const allPages = () =>
    FOLDERS.map((sub) => ({
      title: TITLES[sub] ?? sub,
      entries: pagesOf(sub).map((path) => ({ href: `${root}docs/guides/${path}`, text: titleOf(path) })),
    }));

  function index(): string {
    const { source, listed } = known.has("README")
      ? lead()
      : { source: "# Guides", listed: new Set<string>() };
    const unlisted = pagesOf("").filter((path) => !listed.has(path));
    const more = unlisted.length === 0 ? html`` : html`<h2 id="more">More</h2>\n${listOf(unlisted)}`;
    const below = FOLDERS.slice(1).map(
      (sub) => html`<h2 id="${sub}">${TITLES[sub] ?? sub}</h2>\n${listOf(pagesOf(sub))}`,
    );
    return docsLayout({
      site,
      path: "docs/guides",
      title: "Guides",
      description: "Guides for viewers, creators, API users and operators.",
      toc: allPages(),
      content: html`${markdown(source, targetsFrom("README")).body}${more}${joined(below)}`,
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

const pagesIn = (folder: string, sub: string): string[] =>
  filesIn(folder, sub, ".md").map((path) => path.slice(0, -".md".length));

function filesIn(folder: string, sub: string, ending: string): string[] {
  const where = join(folder, sub);
  if (!existsSync(where)) return [];
  return readdirSync(where)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => posix.join(sub, name));
}
