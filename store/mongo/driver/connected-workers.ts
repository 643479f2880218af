import type { Db } from "mongodb";
import type { Mongo } from "./connect.ts";

/**
 * Addresses of the processes that are connected to this database as workers are, at this server. `mongo` itself has to be
 * connected under another name. A user may list its own connections without an extra role.
 */
export async function connectedWorkers(
  { client }: Pick<Mongo, "client">,
  workersName: string,
): Promise<string[]> {
  const admin: Db = client.db("admin");
  const found = await admin
    .aggregate<{ client?: string }>(
      [
        { $currentOp: { allUsers: false, idleConnections: true } },
        { $match: { appName: workersName, client: { $type: "string" } } },
        { $project: { client: 1 } },
      ],
      // $currentOp accepts no other read concern.
      { readConcern: { level: "local" } },
    )
    .toArray();
  return found.flatMap(({ client: address }) => address ?? []);
}
