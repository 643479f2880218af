import type { Schemas } from "../../site/page-data.ts";

/** A reward as it stands in the form: texts, as they are typed. */
export type Draft = {
  title: string;
  description: string;
  cost: string;
  requiresInput: boolean;
  skipQueue: boolean;
  isEnabled: boolean;
  cooldown: string;
  /** In which `cooldown` counts, in seconds. */
  unit: Unit;
  perStream: string;
  perUser: string;
};
export const UNITS = ["1", "60", "3600", "86400"] as const;
type Unit = (typeof UNITS)[number];

/** Of a new reward. */
const FRESH: Draft = {
  title: "",
  description: "",
  cost: "500",
  requiresInput: false,
  skipQueue: false,
  isEnabled: true,
  cooldown: "",
  unit: "60",
  perStream: "",
  perUser: "",
};

export function draftOf(reward: Schemas["ChannelReward"] | null): Draft {
  if (reward === null) return FRESH;
  const seconds = reward.cooldown_seconds ?? 0;
  // The largest that it is a whole number of.
  const unit = UNITS.findLast((one) => seconds > 0 && seconds % Number(one) === 0) ?? "60";
  return {
    title: reward.title,
    description: reward.description ?? "",
    cost: String(reward.cost),
    requiresInput: reward.requires_input,
    skipQueue: reward.skip_queue,
    isEnabled: reward.is_enabled,
    cooldown: seconds === 0 ? "" : String(seconds / Number(unit)),
    unit,
    perStream: String(reward.max_per_stream ?? ""),
    perUser: String(reward.max_per_user_per_stream ?? ""),
  };
}

/** Whether it is a whole number from 1 on, or, where that is allowed, nothing. */
export const isCount = (typed: string, mayBeEmpty: boolean): boolean =>
  typed.trim() === "" ? mayBeEmpty : /^\d+$/.test(typed.trim()) && Number(typed) > 0;

/** The draft's fields are counts where they have to be. */
export function offerOf(draft: Draft): Schemas["NewReward"] {
  const countOf = (typed: string): number | null => (typed.trim() === "" ? null : Number(typed));
  const cooldown = countOf(draft.cooldown);
  return {
    title: draft.title,
    description: draft.description.trim() === "" ? null : draft.description,
    cost: Number(draft.cost),
    requires_input: draft.requiresInput,
    skip_queue: draft.skipQueue,
    is_enabled: draft.isEnabled,
    cooldown_seconds: cooldown === null ? null : cooldown * Number(draft.unit),
    max_per_stream: countOf(draft.perStream),
    max_per_user_per_stream: countOf(draft.perUser),
  };
}
