import type { Features } from "../actors/features.ts";
import type { Identity } from "../actors/identity/identity.ts";
import type { IngestNetworks } from "../actors/ingest/networks.ts";
import type { Broadcasts } from "../actors/live-stream/broadcasts.ts";
import type { Points } from "../actors/points/points.ts";
import type { Predictions } from "../actors/prediction/predictions.ts";
import type { Presence } from "../realtime/rooms/presence.ts";
import type { Rooms } from "../realtime/rooms/rooms.ts";
import { readAsyncApi } from "../specs/contract/asyncapi-document.ts";
import { readOpenApi } from "../specs/contract/openapi-document.ts";
import type { Clock } from "../store/clock.ts";
import type { ChannelPeople } from "../store/mongo/channel-people.ts";
import type { Follows } from "../store/mongo/follows.ts";
import type { Streams } from "../store/mongo/streams.ts";
import type { CookieConfig } from "./auth/cookies.ts";
import { authRoutes } from "./auth/routes.ts";
import { chatPeopleRoutes } from "./chat/people-routes.ts";
import { chatRoutes } from "./chat/routes.ts";
import type { Operations } from "./http/bind.ts";
import { createResources } from "./http/resources.ts";
import { ingestRoutes } from "./ingest/routes.ts";
import { pointsRoutes } from "./points/routes.ts";
import { predictionRoutes } from "./predictions/routes.ts";
import { socialRoutes } from "./social/routes.ts";
import { streamRoutes } from "./streams/routes.ts";
import { systemRoutes } from "./system/routes.ts";
import { userRoutes } from "./users/routes.ts";
import { viewerRoutes } from "./viewers/routes.ts";

/** All that the REST interface calls. */
export type ApiDeps = Features & {
  identity: Identity;
  cookies: CookieConfig;
  streams: Streams;
  people: ChannelPeople;
  follows: Follows;
  rooms: Rooms;
  presence: Presence;
  predictions: Predictions;
  broadcasts: Broadcasts;
  points: Points;
  /** From where ingest hooks are taken. */
  networks: IngestNetworks;
  clock: Clock;
  /** Whether every part of the service runs. */
  isComplete: () => boolean;
};

/** Gives every operation of the contract its route. */
export function registerRoutes(operations: Operations, deps: ApiDeps): void {
  const resources = createResources({
    streams: deps.channels,
    predictions: deps.predictions,
    people: deps.people,
    isStaff: deps.identity.isStaff,
  });
  systemRoutes(operations, { ...deps, document: readOpenApi(), socketDocument: readAsyncApi() });
  authRoutes(operations, deps);
  userRoutes(operations, deps);
  streamRoutes(operations, deps);
  viewerRoutes(operations, deps);
  socialRoutes(operations, deps);
  chatRoutes(operations, deps);
  chatPeopleRoutes(operations, deps);
  predictionRoutes(operations, deps);
  pointsRoutes(operations, deps);
  ingestRoutes(operations, deps);
  operations.complete(resources);
}
