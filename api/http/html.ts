/** Safe HTML; everything else that is put into a template is text, and gets escaped. */
export type Html = { readonly text: string };

const SPECIAL: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escaped(text: string): Html {
  return { text: text.replaceAll(/[&<>"']/g, (character) => SPECIAL[character] ?? character) };
}

export function html(parts: TemplateStringsArray, ...values: (Html | string | number)[]): Html {
  const inserted = values.map((value) => (typeof value === "object" ? value : escaped(String(value))).text);
  return { text: String.raw({ raw: parts }, ...inserted) };
}

export function joined(parts: readonly Html[], between = ""): Html {
  return { text: parts.map(({ text }) => text).join(between) };
}

/** Renders the part of Markdown that the contract's descriptions use: paragraphs, tables, `code`, **strong**. */
export function markdown(source: string): Html {
  const blocks = source.trim().split(/\n{2,}/);
  return joined(blocks.filter((block) => block !== "").map(block));
}

function block(source: string): Html {
  return source.startsWith("|") ? table(source) : html`<p>${inline(source)}</p>\n`;
}

function table(source: string): Html {
  const [head = [], , ...rows] = source.split("\n").map(cellsOf);
  const line = (cells: string[], tag: "th" | "td") => ({
    text: `<tr>${cells.map((cell) => `<${tag}>${inline(cell).text}</${tag}>`).join("")}</tr>`,
  });
  return html`<table>${line(head, "th")}${joined(rows.map((cells) => line(cells, "td")))}</table>\n`;
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());

function inline(source: string): Html {
  const { text } = escaped(source);
  return {
    text: text
      .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
      .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>"),
  };
}
