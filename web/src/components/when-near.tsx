import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** How far below the window it counts as near. */
const MARGIN = "200px";

/** What is shown, and asks for its data, only once the reader has come near it: most never scroll that far. */
export function WhenNear({ children }: { children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        setNear(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // A height, so that what comes after it isn't near as well.
  return (
    <div ref={place} class="near" data-near={isNear}>
      {isNear && children}
    </div>
  );
}
