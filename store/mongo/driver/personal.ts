/**
 * The personal data of a collection, declared where the collection is defined: how it is found, what happens to it when an
 * account is erased, and what its owner gets in an export. Erasure and export use only this; a spec looks for undeclared ids.
 */

/** What a field holds if it isn't a user id. */
type Holds = "username" | "email" | "stream";

/** Which part of a key "a:b" is the user id. */
type KeyPart = "first" | "either";

export type EraseRule =
  /** The document is deleted. */
  | "delete"
  /** The id is replaced by a pseudonym, the same everywhere, which leads to nobody. */
  | "anonymise"
  /** The id is removed from the list. */
  | "remove"
  /** The document is found by that other field, so this one needs no rule of its own. */
  | { with: string }
  | { keep: string }
  | { key: KeyPart; does: "delete" }
  /** `sets`: fields with content that the user wrote. */
  | { does: "delete" | "anonymise"; holds?: Holds; sets?: Readonly<Record<string, string | null>> };

/** A field of the document, or a path below one. */
export type FieldOf<Doc> = Doc extends unknown
  ? (keyof Doc & string) | `${keyof Doc & string}.${string}`
  : never;

export type ExportPart<Field extends string = string> = {
  /** The name in the export, if it isn't the collection's. */
  as?: string;
  /** The field that holds the user's id. */
  by: Field;
  /** That field is a key of two parts, the first being the user id. */
  isKey?: true;
  /** The exported fields. */
  shows: readonly Field[];
};

export type Personal<Field extends string = string> =
  | "none"
  | {
      /** By field, in the order of erasure; paths omit array indexes, and cover everything below them. */
      erase: { readonly [Name in Field]?: EraseRule };
      /** The exported parts, or why nothing is exported. */
      exports: readonly ExportPart<Field>[] | { nothing: string };
      /** The machine whose actors write these documents, `_id` being the actor's id. Erasing a document includes its actor. */
      actor?: string;
    };

/** Replaces the name of an erased account. */
export const ERASED_NAME = "deleted";
