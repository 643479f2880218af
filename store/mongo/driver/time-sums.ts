import type { Collection, Document, Filter } from "mongodb";

type Summed = { time: string; of: 1 | `$${string}` };

/** Sums by the time at which the documents' minute or day (UTC) begins, Unix ms; times without documents are left out. */
const sumsBy =
  (unit: "minute" | "day") =>
  async <Doc extends Document>(
    collection: Collection<Doc>,
    match: Filter<Doc>,
    { time, of }: Summed,
  ): Promise<Map<number, number>> => {
    const found = await collection
      .aggregate<{ _id: Date; sum: number }>([
        { $match: match },
        { $group: { _id: { $dateTrunc: { date: `$${time}`, unit } }, sum: { $sum: of } } },
      ])
      .toArray();
    return new Map(found.map(({ _id, sum }) => [_id.getTime(), sum]));
  };

export const sumsByMinute = sumsBy("minute");
export const sumsByDay = sumsBy("day");
