import { v7 } from "uuid";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** A new UUIDv7: sorts by creation time, so that documents made together lie together. */
export function newId(): string {
  return v7();
}

export function isUuid(value: string): boolean {
  return UUID.test(value);
}
