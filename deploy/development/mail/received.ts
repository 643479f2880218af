/** A received mail, parsed; of MIME only what our own mails use. */
export type ReceivedMail = {
  /** Counts from 1 within this process. */
  id: number;
  receivedAt: string;
  /** From the SMTP envelope. */
  from: string;
  to: string[];
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string | null;
};

type Part = { headers: Record<string, string>; body: Buffer };

export function readMail(raw: Buffer): Pick<ReceivedMail, "headers" | "subject" | "text" | "html"> {
  const whole = partOf(raw);
  const parts = leavesOf(whole);
  const ofType = (type: string) => parts.find(({ headers }) => typeOf(headers).startsWith(type));
  const html = ofType("text/html");
  const text = ofType("text/plain") ?? (html ? null : whole);
  return {
    headers: whole.headers,
    subject: words(whole.headers.subject ?? ""),
    text: text ? contentOf(text) : "",
    html: html ? contentOf(html) : null,
  };
}

const typeOf = (headers: Part["headers"]): string => (headers["content-type"] ?? "text/plain").toLowerCase();

function partOf(raw: Buffer): Part {
  const end = raw.indexOf("\r\n\r\n");
  const head = raw.subarray(0, end === -1 ? raw.length : end).toString("latin1");
  const body = end === -1 ? Buffer.alloc(0) : raw.subarray(end + 4);
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: Object.fromEntries(fields), body };
}

/** The parts of a multipart mail, one level deep; a mail of one part is its own part. */
function leavesOf(part: Part): Part[] {
  const [, boundary] = /boundary="?([^";]+)"?/i.exec(part.headers["content-type"] ?? "") ?? [];
  if (boundary === undefined) return [part];
  const pieces = part.body.toString("latin1").split(`--${boundary}`).slice(1, -1);
  return pieces.map((piece) => partOf(Buffer.from(piece.replace(/^\r\n|\r\n$/g, ""), "latin1")));
}

function contentOf({ headers, body }: Part): string {
  const encoding = headers["content-transfer-encoding"]?.toLowerCase();
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body.toString("utf8");
  return quoted(body.toString("latin1").replaceAll(/=\r\n/g, ""));
}

const quoted = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");

/** Encoded words of RFC 2047, in UTF-8. */
const words = (header: string): string =>
  header.replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=(\s+(?==\?))?/gi, (_, how: string, text: string) =>
    how.toUpperCase() === "B"
      ? Buffer.from(text, "base64").toString("utf8")
      : quoted(text.replaceAll("_", " ")),
  );
