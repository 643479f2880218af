const HIDDEN = "[secret]";

/** Names whose values never reach a log, at any depth. Matches snake case, camel case and header spelling. */
const SECRET_NAME =
  /passw|secret|token|ticket|authorization|cookie|credential|verifier|(api|system|stream|master|private|signing)[-_]?key|^(x-)?system-key$/i;

const MAX_NAMES = 1_000;
const judged = new Map<string, boolean>();

/** Cached, since log lines have few distinct names, each used many times. */
function isSecretName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isSecret = SECRET_NAME.test(name);
  if (judged.size < MAX_NAMES) judged.set(name, isSecret);
  return isSecret;
}

/** Credentials inside a URL or a query, as driver errors and request lines contain them. */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/((?<![a-z0-9+])[+a-z][a-z0-9+]*:\/\/[^\s:/@]*):[^\s@/]+@/gi, `$1:${HIDDEN}@`],
  [/([?&](?:ticket|token|system_key|name|key|code|code_verifier|state)=)[^&\s"]+/gi, `$1${HIDDEN}`],
  [/\bBearer\s+[\w.~+/-]+=*/g, `Bearer ${HIDDEN}`],
  [/\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}/g, `$1.${HIDDEN}`], // a device_id
  [/\blc_([a-z0-9]+)_[\w-]{8,}/g, `lc_$1_${HIDDEN}`], // the prefix of all our tokens
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, HIDDEN],
];

const MAX_DEPTH = 6;
const MAX_LIST_LENGTH = 50;

/** A copy of a log line's fields without secrets; depth and list length are bounded, and cycles are safe. */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactEntries(fields, 0);
}

/** Every pattern above contains one of these characters; names, ids and codes don't. A cheap pre-check. */
const MAY_HIDE = /[:=.\s]|lc_/;

export function redactText(text: string): string {
  if (!MAY_HIDE.test(text)) return text;
  return IN_TEXT.reduce((shown, [pattern, replacement]) => shown.replace(pattern, replacement), text);
}

function redactEntries(value: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretName(name) && !isHarmless(inner) ? HIDDEN : redact(inner, depth + 1),
    ]),
  );
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[deeper]";
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_LIST_LENGTH).map((entry) => redact(entry, depth + 1));
  if ("toJSON" in value && typeof value.toJSON === "function") return redact(value.toJSON(), depth + 1);
  return redactEntries(value, depth);
}

/** Numbers and flags named "tokens" or "hasPassword" reveal nothing. */
const isHarmless = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || value === null || value === undefined;

function describeError(err: Error, depth: number): Record<string, unknown> {
  return {
    type: err.name,
    message: redactText(err.message),
    stack: redactText(err.stack ?? ""),
    ...redactEntries(err, depth),
    ...(err.cause === undefined ? {} : { cause: redact(err.cause, depth + 1) }),
  };
}
