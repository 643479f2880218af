import type { AnyDefinition } from "./definition.ts";
import type { Request } from "./request.ts";

/** Requests to one actor that are decided and committed together, in the order of their arrival. */
export type Batch = { definition: AnyDefinition; actor: string; id: string; requests: Request[] };
