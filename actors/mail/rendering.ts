import { MAIL_TEXTS, type MailData, type MailTemplate, type MailText } from "./texts.ts";

export type RenderedMail = { subject: string; text: string; html: string };

/** A template with its data, in both forms. `accountUrl` is where links lead to, without a slash at its end. */
export function renderMail<Template extends MailTemplate>(
  template: Template,
  data: MailData[Template],
  accountUrl: string,
): RenderedMail {
  const { subject, paragraphs, link, after = [] } = MAIL_TEXTS[template](data);
  const shown = link && { label: link.label, url: linkUrl(accountUrl, link) };
  const text = [...paragraphs, ...(shown ? [shown.url] : []), ...after, `-- \n${accountUrl}`].join("\n\n");
  const body = [
    ...paragraphs.map(paragraph),
    ...(shown ? [button(shown)] : []),
    ...after.map(paragraph),
    `<p style="color:#666;font-size:13px">${escaped(accountUrl)}</p>`,
  ].join("\n");
  return { subject, text: `${text}\n`, html: page(subject, body) };
}

/** The token stands in the fragment, which no server is sent and no log has. */
const linkUrl = (accountUrl: string, { path, token }: NonNullable<MailText["link"]>): string =>
  `${accountUrl}/account/${path}#token=${encodeURIComponent(token)}`;

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

function button({ label, url }: { label: string; url: string }): string {
  return [
    `<p><a href="${escaped(url)}" style="display:inline-block;padding:10px 18px;background:#4a2fbd;color:#fff;text-decoration:none;border-radius:4px">${escaped(label)}</a></p>`,
    `<p style="color:#666;font-size:13px;word-break:break-all">${escaped(url)}</p>`,
  ].join("\n");
}

const page = (subject: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(subject)}</title>
<body style="font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:0 auto;padding:24px">
${body}
</body>
</html>
`;

const SPECIAL: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => SPECIAL[character] ?? character);
