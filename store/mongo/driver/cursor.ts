/**
 * Cursors of lists: a place in an order, by which the items after it are found whatever has come or gone since. A cursor is the
 * order's fields of the last item that was read; the last of them is unique.
 */
import type { Document, Filter } from "mongodb";
import { invalid } from "../../../contract/errors.ts";

export type Order = Readonly<Record<string, 1 | -1>>;

type Value = string | number | Date;

export const fieldsOf = (order: Order) => Object.fromEntries(Object.keys(order).map((key) => [key, 1]));

/** The place of a document, opaque to clients. */
export const cursorAt = (order: Order, doc: Document): string =>
  cursorOf(
    Object.keys(order).map((path) => path.split(".").reduce<unknown>((part, key) => Object(part)[key], doc)),
  );

/** The place at these values of an order's fields. */
export function cursorOf(values: readonly unknown[]): string {
  const plain = values.map((value) => (value instanceof Date ? { ms: value.getTime() } : value));
  return Buffer.from(JSON.stringify(plain)).toString("base64url");
}

/** What `cursorOf` was given. Throws `validation_failed` for a cursor of another form. */
export function valuesOf(cursor: string, count: number): Value[] {
  const values = readCursor(cursor);
  if (values?.length === count) return values;
  throw invalid({ path: "/query/before", rule: "cursor", message: "must be a cursor of this list" });
}

/** A list's filter for what comes after the cursor, if there is one. Throws `validation_failed` for a cursor of another form. */
export function filterAfter<Doc>(
  filter: Filter<Doc>,
  order: Order,
  cursor: string | null | undefined,
): Filter<Doc> {
  if (cursor === null || cursor === undefined) return filter;
  // The driver's type can't express a filter of fields that are only known at run time.
  return { $and: [filter, after(order, cursor)] } as Filter<Doc>;
}

/** In an order that moves a cursor would lead anywhere. Throws `validation_failed`. */
export function refuseCursor({ before }: { before?: string | null | undefined }): void {
  if (before === null || before === undefined) return;
  throw invalid({
    path: "/query/before",
    rule: "cursor",
    message: "is only for lists with the newest first",
  });
}

function after(order: Order, cursor: string): Filter<Document> {
  const fields = Object.entries(order);
  const values = valuesOf(cursor, fields.length);
  const places = fields.flatMap(([key, direction], at) => {
    const value = values[at];
    return value === undefined ? [] : [{ key, value, next: direction === -1 ? "$lt" : "$gt" }];
  });
  const [first] = places;
  if (!first) return {};
  const { key, value, next } = first;
  if (places.length === 1) return { [key]: { [next]: value } };
  const later = places.map((place, at) => ({
    ...Object.fromEntries(places.slice(0, at).map((same) => [same.key, same.value])),
    [place.key]: { [place.next]: place.value },
  }));
  // The first field by itself bounds the scan of the index.
  return { $and: [{ [key]: { [`${next}e`]: value } }, { $or: later }] };
}

/** Only scalars come out of a cursor, so that a made-up one is no more than another place. */
function readCursor(cursor: string): Value[] | null {
  const values = parsed(Buffer.from(cursor, "base64url").toString());
  if (!Array.isArray(values)) return null;
  const read = values.map((value: unknown): Value | null => {
    if (typeof value === "string" || typeof value === "number") return value;
    const ms: unknown = Object(value).ms;
    const date = typeof ms === "number" ? new Date(ms) : null;
    return date && !Number.isNaN(date.getTime()) ? date : null;
  });
  const known = read.filter((value) => value !== null);
  return known.length === values.length ? known : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
