import { type IconNode, Radio } from "lucide";

/** The pages of the console, in their order. */
export const SECTIONS = ["stream"] as const;
export type Section = (typeof SECTIONS)[number];

export const sectionPath = (section: Section): string =>
  section === "stream" ? "/console" : `/console/${section}`;

export const ICONS: Record<Section, IconNode> = {
  stream: Radio,
};
