/**
 * What a collection knows of people, said where the collection is defined: how it is found, what becomes of it when an account
 * is erased, and what its owner gets of it. Erasure and export go by it alone; a spec looks for ids that nobody declared.
 */

/** What a field holds, where that isn't the id of a user. */
type Holds = "username" | "email" | "stream";

/** Which part of a key "a:b" the user's id is. */
type KeyPart = "first" | "either";

export type EraseRule =
  /** The document goes. */
  | "delete"
  /** The id becomes another one, the same all over, that leads nowhere. */
  | "anonymise"
  /** It goes from the list. */
  | "remove"
  /** The document is found by that other field; this one needs no more. */
  | { with: string }
  | { keep: string }
  | { key: KeyPart; does: "delete" }
  /** `sets`: what the user has written beside it. */
  | { does: "delete" | "anonymise"; holds?: Holds; sets?: Readonly<Record<string, string | null>> };

/** A field of the document, or of what is below one. */
export type FieldOf<Doc> = Doc extends unknown
  ? (keyof Doc & string) | `${keyof Doc & string}.${string}`
  : never;

export type ExportPart<Field extends string = string> = {
  /** Where it isn't the collection's own name. */
  as?: string;
  /** The field that holds the user's id. */
  by: Field;
  /** That field is a key of two parts, the user's id being the first. */
  isKey?: true;
  /** Nothing else is given out. */
  shows: readonly Field[];
};

export type Personal<Field extends string = string> =
  | "none"
  | {
      /** By field, in the order of erasing; list places are left out of a path, and it stands for all below it. */
      erase: { readonly [Name in Field]?: EraseRule };
      /** Or why nothing of it is given out. */
      exports: readonly ExportPart<Field>[] | { nothing: string };
      /** The machine whose actors write these documents, `_id` being the actor's id: what becomes of one becomes of the other. */
      actor?: string;
    };

/** In the place of the name of an account that was erased. */
export const ERASED_NAME = "deleted";
