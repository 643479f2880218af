import { Marked, Renderer, type RendererObject, type Tokens } from "marked";
import { escaped, type Html } from "./html.ts";

type Heading = { depth: number; text: string; id: string };

type Rendered = { body: Html; headings: readonly Heading[] };

/** The anchor of a heading, as GitHub makes it. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

const PLAIN: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
/** What a rendered piece says, without its markup. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<[^<>]*>/g, "")
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => PLAIN[entity] ?? entity);

const LONG = 24;

/** Long code breaks behind separators, and words of it stay whole. */
const breakable = (text: string): string =>
  text.length <= LONG
    ? escaped(text).text
    : text
        .split(/(?<=[/:,@=&.])(?![/:,@=&.])/)
        .map((piece) => escaped(piece).text)
        .join("<wbr>");

type Targets = {
  /** Where a link leads; null for one that leads nowhere on the page: then only its text stays. */
  linkTo?: (target: string) => string | null;
  /** Where a picture is; null for one that isn't served: then only its text stays. */
  pictureAt?: (target: string) => string | null;
};

const COMMENT = /^<!--.*?-->\s*$/s;

/** Renders Markdown of ours, in which HTML is text and comments are left out. */
export function markdown(
  source: string,
  { linkTo = (target) => target, pictureAt = () => null }: Targets = {},
): Rendered {
  const headings: Heading[] = [];
  const renderer: RendererObject = {
    heading({ tokens, depth }: Tokens.Heading) {
      const inner = this.parser.parseInline(tokens);
      const text = textOf(inner);
      const slug = slugOf(text);
      const same = headings.filter(({ id }) => id === slug || id.startsWith(`${slug}-`)).length;
      const id = headings.some((one) => one.id === slug) ? `${slug}-${same}` : slug;
      headings.push({ depth, text, id });
      return `<h${depth} id="${escaped(id).text}">${inner}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      const inner = this.parser.parseInline(tokens);
      const to = linkTo(href);
      return to === null ? inner : `<a href="${escaped(to).text}">${inner}</a>`;
    },
    // Reachable by the keyboard, since long lines are scrolled. A diagram isn't drawn here: a table beside it says the same.
    code: ({ text, lang }: Tokens.Code) =>
      lang === "mermaid" ? "" : `<pre tabindex="0"><code>${escaped(text).text}\n</code></pre>\n`,
    codespan: ({ text }: Tokens.Codespan) => `<code>${breakable(text)}</code>`,
    table(token: Tokens.Table) {
      return `<div class="wide" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
    image({ href, text }: Tokens.Image) {
      const at = pictureAt(href);
      const alt = escaped(text).text;
      return at === null ? alt : `<img src="${escaped(at).text}" alt="${alt}" loading="lazy">`;
    },
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (COMMENT.test(text) ? "" : escaped(text).text),
  };
  const body = new Marked({ gfm: true, async: false, renderer }).parse(source, { async: false });
  return { body: { text: body }, headings };
}
