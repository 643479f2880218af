import type { Document, Filter } from "mongodb";
import { keysWithPrefix } from "../../../store/mongo/driver/key-ranges.ts";
import { ERASED_NAME, type EraseRule } from "../../../store/mongo/driver/personal.ts";
import { COLLECTIONS } from "../../../store/mongo/generated/collections.ts";

/** The values to search for, and the id that replaces the account's (`erasedAs`). */
export type Erased = {
  userId: string;
  erasedAs: string;
  names: string[];
  emailKey: string;
  streamId: string | null;
};

/** `streams` is erased last: it is needed to find what others wrote there. `usernames` and `users` are left to `finish`. */
const LAST = ["streams", "usernames", "users"];

export type ErasureStep = { collection: string; actor: string | null; field: string; rule: EraseRule };

const hasActors = ({ personal }: (typeof COLLECTIONS)[number]): boolean =>
  personal !== "none" && personal.actor !== undefined;

/** Collections of actors come first: a refund by an actor that still has the old id would create a balance again. */
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

/** Null when there is nothing to search for. */
export function whereIn(field: string, rule: EraseRule, of: Erased): Filter<Document> | null {
  const { userId, names, emailKey, streamId } = of;
  if (typeof rule === "string") return { [field]: userId };
  if ("key" in rule) {
    const first = { [field]: keysWithPrefix(userId) };
    return rule.key === "first" ? first : { $or: [first, { [field]: { $regex: `:${userId}$` } }] };
  }
  if (!("does" in rule)) return null;
  switch (rule.holds) {
    case "username":
      return { [field]: { $in: names } };
    case "email":
      // Stored as typed. Addresses have ASCII letters only, which $toLower handles.
      return { $expr: { $eq: [{ $toLower: `$${field}` }, { $literal: emailKey }] } };
    case "stream":
      return streamId === null ? null : { [field]: streamId };
    default:
      return { [field]: userId };
  }
}

/** The update for the document; null: it is deleted. */
export function changeOf(field: string, rule: EraseRule, { userId, erasedAs }: Erased): Document | null {
  if (rule === "remove") return { $pull: { [field]: userId } };
  if (rule === "anonymise") return { $set: { [field]: erasedAs } };
  if (typeof rule === "string" || !("does" in rule) || rule.does === "delete") return null;
  const { holds } = rule;
  return { $set: { ...setsOf(rule).sets, [field]: holds === undefined ? erasedAs : ERASED_NAME } };
}

export const setsOf = (rule: EraseRule) =>
  typeof rule === "object" && "sets" in rule && rule.sets ? { sets: rule.sets } : {};
