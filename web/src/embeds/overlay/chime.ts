import type { AlertKind } from "./settings.ts";

/** Hz, one after the other. */
const NOTES: Record<AlertKind, readonly number[]> = {
  follow: [660, 880],
  subscription: [523, 659, 784],
  gift: [523, 659, 784, 1047],
  tip: [988, 1319],
  raid: [392, 523, 659, 784],
};
const NOTE_S = 0.14;
const FADE_S = 0.5;
/** Of full scale: above a voice, below a shout. */
const LOUDEST = 0.4;

/** Later than this after its alert, a sound would seem to be of nothing, ms. */
const TOO_LATE_MS = 1_000;

let audio: AudioContext | null = null;
/** The last one that couldn't be played yet. */
let waiting: { play: () => void; at: number } | null = null;

/** Plays what is heard with an alert. Browsers other than broadcasting programs' are silent until the page is clicked. */
export function chime(kind: AlertKind, volume: number): void {
  if (volume === 0) return;
  audio ??= newContext();
  const context = audio;
  const play = () => playIn(context, kind, volume);
  if (context.state === "running") play();
  else {
    // What is scheduled in a context that is suspended all comes at once when it is resumed, be that days later.
    waiting = { play, at: performance.now() };
    // Allowed or not, the alert is seen.
    context.resume().catch(() => undefined);
  }
}

function newContext(): AudioContext {
  const context = new AudioContext();
  context.addEventListener("statechange", () => {
    if (context.state !== "running" || !waiting) return;
    if (performance.now() - waiting.at < TOO_LATE_MS) waiting.play();
    waiting = null;
  });
  return context;
}

function playIn(context: AudioContext, kind: AlertKind, volume: number): void {
  NOTES[kind].forEach((frequency, place) => {
    const at = context.currentTime + place * NOTE_S;
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime((volume / 100) * LOUDEST, at + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + FADE_S);
    const tone = new OscillatorNode(context, { type: "triangle", frequency });
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + FADE_S);
  });
}
