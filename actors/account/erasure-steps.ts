import type { Document, Filter } from "mongodb";
import { COLLECTIONS } from "../../store/mongo/generated/collections.ts";
import { keysUnder } from "../../store/mongo/key-ranges.ts";
import { ERASED_NAME, type EraseRule } from "../../store/mongo/personal.ts";

/** What is looked for, and what takes its place. */
export type Erased = {
  userId: string;
  erasedAs: string;
  names: string[];
  emailKey: string;
  streamId: string | null;
};

/** By the account's own stream things are found that others have written, so it goes after them; `users` is left to `finish`. */
const LAST = ["streams", "usernames", "users"];

export type ErasureStep = { collection: string; actor: string | null; field: string; rule: EraseRule };

const hasActors = ({ personal }: (typeof COLLECTIONS)[number]): boolean =>
  personal !== "none" && personal.actor !== undefined;

/** What actors own comes first: who is refunded by one that still knows the old id has a balance again. */
export const ERASED_IN_ORDER: readonly ErasureStep[] = COLLECTIONS.filter(({ name }) => !LAST.includes(name))
  .sort((one, other) => Number(hasActors(other)) - Number(hasActors(one)))
  .concat(COLLECTIONS.filter(({ name }) => name === "streams"))
  .flatMap(({ name: collection, personal }) =>
    personal === "none"
      ? []
      : Object.entries(personal.erase).flatMap(([field, rule]) =>
          rule ? [{ collection, actor: personal.actor ?? null, field, rule }] : [],
        ),
  );

/** Null where there is nothing to look for. */
export function whereIn(field: string, rule: EraseRule, of: Erased): Filter<Document> | null {
  const { userId, names, emailKey, streamId } = of;
  if (typeof rule === "string") return { [field]: userId };
  if ("key" in rule) {
    const first = { [field]: keysUnder(userId) };
    return rule.key === "first" ? first : { $or: [first, { [field]: { $regex: `:${userId}$` } }] };
  }
  if (!("does" in rule)) return null;
  switch (rule.holds) {
    case "username":
      return { [field]: { $in: names } };
    case "email":
      // As it was typed there. An address has no letters but those of ASCII, which this knows.
      return { $expr: { $eq: [{ $toLower: `$${field}` }, { $literal: emailKey }] } };
    case "stream":
      return streamId === null ? null : { [field]: streamId };
    default:
      return { [field]: userId };
  }
}

/** Null: the document goes. */
export function changeOf(field: string, rule: EraseRule, { userId, erasedAs }: Erased): Document | null {
  if (rule === "remove") return { $pull: { [field]: userId } };
  if (rule === "anonymise") return { $set: { [field]: erasedAs } };
  if (typeof rule === "string" || !("does" in rule) || rule.does === "delete") return null;
  const { holds } = rule;
  return { $set: { ...setsOf(rule).sets, [field]: holds === undefined ? erasedAs : ERASED_NAME } };
}

export const setsOf = (rule: EraseRule) =>
  typeof rule === "object" && "sets" in rule && rule.sets ? { sets: rule.sets } : {};
