import { MongoClient } from "mongodb";
import { predictionDefinition } from "../../../../actors/points/prediction/definition.ts";
import type { PredictionContext } from "../../../../actors/points/prediction/machine.ts";
import { redemptionDefinition } from "../../../../actors/points/redemption/definition.ts";
import { rewardDefinition } from "../../../../actors/points/reward/definition.ts";
import { type Memory, memoryEffects } from "./memory.ts";
import type { MemoryMachine } from "./memory-host.ts";
import type { MemoryRewards } from "./memory-rewards.ts";

const nothing = { membersAfter: () => [], violated: () => null, save: () => undefined };

/** The real definitions, writing to memory. */
export function memoryMachines(memory: Memory, rewards: MemoryRewards): MemoryMachine[] {
  // Definitions need a database, but nothing here uses it, so the client never connects.
  const db = new MongoClient("mongodb://localhost:1").db("none");
  const prediction = predictionDefinition(db);
  const reward = rewardDefinition(db);
  const redemption = redemptionDefinition(db);
  return [
    {
      definition: { ...prediction, effects: memoryEffects(prediction.effects, memory) },
      reads: (id, batch) => memory.reads(id, batch),
      membersAfter: (id, cursor, limit) => memory.betsAfter(id, cursor, limit),
      // The store's index allows one per channel.
      violated: () => (memory.hasOpen() ? { code: "prediction_open" } : null),
      save: ({ context, ...state }) => memory.save({ ...state, context: context as PredictionContext }),
    },
    {
      ...nothing,
      definition: { ...reward, effects: rewards.rewardEffects(reward.effects) },
      reads: (id, batch) => rewards.reads(id, batch),
      membersAfter: (id, cursor, limit) => rewards.pendingAfter(id, cursor, limit),
    },
    {
      ...nothing,
      definition: { ...redemption, effects: rewards.redemptionEffects(redemption.effects) },
      reads: (id) => ({ redemption: rewards.redemptions.get(id) ?? null, redeemer: null }),
    },
  ];
}
