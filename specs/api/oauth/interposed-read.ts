import { Collection } from "mongodb";

/**
 * Does something between the next read of that user's document in that collection and whoever asked for it, once: what a
 * slow request meets. Gives back a function that says whether it came to that, and puts the driver back.
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
