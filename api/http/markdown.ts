import { Marked, type RendererObject, type Tokens } from "marked";
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

/**
 * Renders Markdown of ours, in which HTML is text. `linkTo` returns where a link leads, or null for one that leads nowhere on the page;
 * then only its text stays.
 */
export function markdown(
  source: string,
  linkTo: (target: string) => string | null = (target) => target,
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
    // Reachable by the keyboard, since long lines are scrolled.
    code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escaped(text).text}\n</code></pre>\n`,
    image: ({ text }: Tokens.Image) => escaped(text).text,
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text).text,
  };
  const body = new Marked({ gfm: true, async: false, renderer }).parse(source, { async: false });
  return { body: { text: body }, headings };
}
