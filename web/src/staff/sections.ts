import { Award, Flag, type IconNode, LayoutGrid, LifeBuoy, Scale, ScrollText, Star, Users } from "lucide";

/** The staff pages, in their order. */
export const SECTIONS = [
  "reports",
  "appeals",
  "support",
  "accounts",
  "categories",
  "sets",
  "featured",
  "audit",
] as const;
export type Section = (typeof SECTIONS)[number];

export const sectionPath = (section: Section): string =>
  section === "reports" ? "/staff" : `/staff/${section}`;

export const casePath = (caseId: string): string => `/staff/reports/${caseId}`;
export const accountPath = (accountId: string): string => `/staff/accounts/${accountId}`;

export const ICONS: Record<Section, IconNode> = {
  reports: Flag,
  appeals: Scale,
  support: LifeBuoy,
  accounts: Users,
  categories: LayoutGrid,
  sets: Award,
  featured: Star,
  audit: ScrollText,
};
