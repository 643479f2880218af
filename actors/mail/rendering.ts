import { MAIL_TEXTS, type MailData, type MailLink, type MailTemplate } from "./texts.ts";

export type RenderedMail = {
  subject: string;
  text: string;
  html: string;
  /** The one-click unsubscribe URL (RFC 8058): one POST ends mails of this kind. */
  unsubscribeUrl?: string;
};

/** Renders a template as text and HTML. `accountUrl` is the base URL of links, without a trailing slash. */
export function renderMail<Template extends MailTemplate>(
  template: Template,
  data: MailData[Template],
  accountUrl: string,
): RenderedMail {
  const { subject, paragraphs, link, after = [], unsubscribe } = MAIL_TEXTS[template](data);
  const shown = link && { label: link.label, url: "url" in link ? link.url : linkUrl(accountUrl, link) };
  const end = unsubscribe && linkUrl(accountUrl, { path: "unsubscribe", token: unsubscribe });
  const signature = `-- \n${accountUrl}${end ? `\n${UNSUBSCRIBE_LABEL} ${end}` : ""}`;
  const text = [...paragraphs, ...(shown ? [shown.url] : []), ...after, signature].join("\n\n");
  const body = [
    ...paragraphs.map(paragraph),
    ...(shown ? [button(shown)] : []),
    ...after.map(paragraph),
    `<p style="color:#666;font-size:13px">${escaped(accountUrl)}</p>`,
    ...(end
      ? [
          `<p style="color:#666;font-size:13px"><a href="${escaped(end)}">${escaped(UNSUBSCRIBE_LABEL)}</a></p>`,
        ]
      : []),
  ].join("\n");
  const rendered = { subject, text: `${text}\n`, html: page(subject, body) };
  if (!unsubscribe) return rendered;
  const token = encodeURIComponent(unsubscribe);
  return { ...rendered, unsubscribeUrl: `${accountUrl}/v1/notifications/unsubscribe?token=${token}` };
}

const UNSUBSCRIBE_LABEL = "Unsubscribe from notification mails:";

/** The token is in the URL's fragment, which isn't sent to servers and isn't in logs. */
function linkUrl(accountUrl: string, { path, token, account }: Omit<MailLink, "label">): string {
  const page = `${accountUrl}/account/${path}`;
  if (token === undefined) return page;
  return `${page}#${new URLSearchParams({ token, ...(account === undefined ? {} : { account }) })}`;
}

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
