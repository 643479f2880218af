import {
  CalendarDays,
  ChartLine,
  Clapperboard,
  Gem,
  HandCoins,
  type IconNode,
  Layers,
  MessageSquareText,
  Radio,
  Shield,
  Smile,
  Swords,
  Users,
} from "lucide";

/** The pages of the console, in their order. */
export const SECTIONS = [
  "stream",
  "analytics",
  "rewards",
  "schedule",
  "videos",
  "income",
  "raids",
  "chat",
  "emotes",
  "roles",
  "overlays",
  "moderated",
] as const;
export type Section = (typeof SECTIONS)[number];

export const sectionPath = (section: Section): string =>
  section === "stream" ? "/console" : `/console/${section}`;

export const ICONS: Record<Section, IconNode> = {
  stream: Radio,
  rewards: Gem,
  schedule: CalendarDays,
  videos: Clapperboard,
  income: HandCoins,
  raids: Swords,
  chat: MessageSquareText,
  emotes: Smile,
  roles: Users,
  overlays: Layers,
  analytics: ChartLine,
  moderated: Shield,
};
