import { signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** The page's first script reads it as well, before anything is painted. */
const KEY = "livecore-theme";

const isTheme = (value: unknown): value is Theme => THEMES.some((theme) => theme === value);

function stored(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return isTheme(theme) ? theme : "system";
  } catch {
    // The browser denies storage.
    return "system";
  }
}

export const chosenTheme = signal<Theme>(stored());

export function chooseTheme(theme: Theme): void {
  chosenTheme.value = theme;
  document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // It lasts as long as the page.
  }
}
