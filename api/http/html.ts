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
