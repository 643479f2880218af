const PATHS = {
  play: "M7 4v16l13-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  sound: "M4 9v6h4l5 5V4L8 9zM16 8a5 5 0 0 1 0 8M18.5 5.5a9 9 0 0 1 0 13",
  silent: "M4 9v6h4l5 5V4L8 9zM16 9l6 6M22 9l-6 6",
  inset: "M3 5h18v14H3zM12 12h7v5h-7z",
  theatre: "M3 7h18v10H3z",
  beside: "M3 5h18v14H3zM15 5v14",
  clip: "M6 3a3 3 0 1 0 0 6a3 3 0 1 0 0-6M6 15a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8.1 8.1 12 12M20 4 8.1 15.9M14.8 14.8 20 20",
  fullscreen: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
} as const;

const FILLED: ReadonlySet<keyof typeof PATHS> = new Set(["play", "pause"]);

/** Drawn as SVG, since not every system has a font with these symbols. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" data-filled={FILLED.has(name)}>
      <path d={PATHS[name]} />
    </svg>
  );
}
