/** What the staff of an instance work with; the rest is in `en/staff`. */
export const staff = {
  title: "Staff",
  sections: {
    reports: "Reports",
    appeals: "Appeals",
    support: "Support",
    accounts: "Accounts",
    categories: "Categories",
    sets: "Badges and emotes",
    featured: "Featured channels",
    audit: "Audit log",
  },
};
