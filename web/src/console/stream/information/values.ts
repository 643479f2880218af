import type { OwnStream } from "../own-stream.ts";

/** What a creator says of the stream. */
export type Values = Pick<OwnStream, "name" | "category_id" | "tags" | "language" | "is_mature">;

export const valuesOf = ({ name, category_id, tags, language, is_mature }: Values): Values => ({
  name,
  category_id,
  tags,
  language,
  is_mature,
});

export const isSame = (one: Values, other: Values): boolean =>
  JSON.stringify(valuesOf(one)) === JSON.stringify(valuesOf(other));

/** What `later` has that `sent` hadn't: it was typed meanwhile. */
export const typedSince = (sent: Values, later: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(valuesOf(later)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(sent[name as keyof Values]),
    ),
  );
