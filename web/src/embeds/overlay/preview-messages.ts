import { ALERT_KINDS, type AlertKind, type Settings, USUAL } from "./settings.ts";

/**
 * How the console shows an overlay with made-up contents: the page in its frame says that it is ready, then the console says by which
 * settings, and which alert is to come. Both take messages of the service's own origin alone, from the window at the other end.
 */
const READY = "livecore.overlay-ready";
const SHOW = "livecore.overlay-preview";

export const readyMessage = { type: READY };
export const isReadyMessage = (data: unknown): boolean => fieldsOf(data).type === READY;

/** `alert`: null for none now. */
export type Preview = { settings: Settings; alert: AlertKind | null };
export const previewMessage = (preview: Preview) => ({ type: SHOW, ...preview });

/** Null for any other message. What it lacks is as usual. */
export function previewIn(data: unknown): Preview | null {
  const { type, settings, alert } = fieldsOf(data);
  if (type !== SHOW) return null;
  return {
    settings: settingsIn(fieldsOf(settings)),
    alert: ALERT_KINDS.find((kind) => kind === alert) ?? null,
  };
}

function settingsIn(given: Readonly<Record<string, unknown>>): Settings {
  const number = (name: "alert_seconds" | "volume" | "font_size" | "fade_seconds"): number =>
    typeof given[name] === "number" ? given[name] : USUAL[name];
  const { theme, sound } = given;
  return {
    ...USUAL,
    theme: theme === "light" || theme === "clear" ? theme : "dark",
    sound: sound === true,
    alert_seconds: number("alert_seconds"),
    volume: number("volume"),
    font_size: number("font_size"),
    fade_seconds: number("fade_seconds"),
  };
}

const fieldsOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === "object" && data !== null ? { ...data } : {};
