import { Collection } from "mongodb";

/**
 * Runs `act` between the next read of that user's document and its caller, once, to simulate a slow request. Returns a function
 * that restores the driver and returns whether it ran.
 */
export function afterNextRead(collectionName: string, userId: string, act: () => Promise<unknown>) {
  const { findOne } = Collection.prototype;
  let isDone = false;
  const restore = () => Reflect.set(Collection.prototype, "findOne", findOne);
  async function interposed(this: Collection, ...args: unknown[]): Promise<unknown> {
    const found: unknown = await Reflect.apply(findOne, this, args);
    const { _id, userId: owner } = Object(found);
    if (isDone || this.collectionName !== collectionName || ![_id, owner].includes(userId)) return found;
    isDone = true;
    restore();
    await act();
    return found;
  }
  Reflect.set(Collection.prototype, "findOne", interposed);
  return () => {
    restore();
    return isDone;
  };
}
