import { counted } from "./counted.ts";

/** Texts of raids: of the channel that is left, and of the one where one arrives. */
export const raids = {
  label: "Raid",
  pending: (source: string, target: string) => `${source} is raiding ${target}`,
  leavesIn: (time: string) => `Leaving in ${time}`,
  leaving: "Leaving now …",
  canCome: (viewers: number) => `${counted(viewers, "viewer", "viewers")} can join.`,
  comesAlong: "You're joining the raid.",
  stays: "You're staying here.",
  runs: "You run this channel, so you stay here.",
  stay: "Stay here",
  come: "Join raid",
  left: (target: string, viewers: number) =>
    `The raid went to ${target} with ${counted(viewers, "viewer", "viewers")}.`,
  watch: (name: string) => `Watch ${name}`,
  cancelled: (target: string) => `The raid to ${target} was cancelled. You're staying here.`,
  arrived: (source: string) => `You joined a raid from ${source}.`,
  goBack: "Go back",
};
