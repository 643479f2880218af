import { Collection } from "mongodb";

/** Does something before the next such command on that collection, once. */
export function beforeNext(
  method: "updateMany" | "deleteMany",
  collectionName: string,
  act: () => Promise<unknown>,
): void {
  const command: unknown = Reflect.get(Collection.prototype, method);
  if (typeof command !== "function") throw new Error(`a collection has no ${method}`);
  const original = command;
  async function interposed(this: Collection, ...args: unknown[]): Promise<unknown> {
    if (this.collectionName === collectionName) {
      Reflect.set(Collection.prototype, method, original);
      await act();
    }
    return Reflect.apply(original, this, args);
  }
  Reflect.set(Collection.prototype, method, interposed);
}
