import { signal } from "@preact/signals";
import { whenUserLeaves } from "./session.ts";

type Toast = { no: number; text: string; isProblem: boolean };

const SHOWN_MS = 6_000;
/** Older ones go first. */
const MOST = 3;

export const toasts = signal<readonly Toast[]>([]);
let last = 0;
whenUserLeaves(() => {
  toasts.value = [];
});

/** Says what came of something, for a while. */
export function say(text: string, { isProblem = false }: { isProblem?: boolean } = {}): void {
  const toast = { no: ++last, text, isProblem };
  toasts.value = [...toasts.value, toast].slice(-MOST);
  setTimeout(() => dismiss(toast.no), SHOWN_MS);
}

export function dismiss(no: number): void {
  toasts.value = toasts.value.filter((toast) => toast.no !== no);
}
