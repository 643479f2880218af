import { expect } from "chai";
import type { FieldOf, Personal } from "../../../store/mongo/driver/personal.ts";

type NoteDoc = { _id: string; userId: string; written: { text: string; at: Date } };
const declared = (personal: Personal<FieldOf<NoteDoc>>) => personal;

describe("What a collection declares of people", () => {
  it("names fields of its documents", () => {
    const exports = [{ by: "userId", shows: ["written.text"] }] as const;
    expect(declared({ erase: { userId: "delete", "written.text": "remove" }, exports })).include({ exports });
  });

  it("names no others, which don't compile", () => {
    // What is here is refused by the compiler; while it runs, names are just names.
    const exports = { nothing: "so the spec says" };
    // @ts-expect-error nobody would be erased by it
    declared({ erase: { ownerId: "delete" }, exports });
    // @ts-expect-error nothing would be found by it
    declared({ erase: {}, exports: [{ by: "ownerId", shows: [] }] });
    // @ts-expect-error nobody would get it
    const silent: Personal<FieldOf<NoteDoc>> = { erase: {}, exports: [{ by: "userId", shows: ["text"] }] };
    expect(silent).an("object");
  });
});
