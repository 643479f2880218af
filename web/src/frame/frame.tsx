import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { returned } from "../billing/checkout.ts";
import { later } from "../components/later.tsx";
import { fault } from "../site/navigation.ts";
import { findReaderAgain } from "../site/reader.ts";
import { TEXTS } from "../texts/texts.ts";
import { ConnectionBar } from "./connection-bar.tsx";
import { Footer } from "./footer.tsx";
import { SideList } from "./side-list.tsx";
import { Toasts } from "./toasts.tsx";
import { TopBar } from "./top-bar.tsx";
import "./frame.css";
import "../components/components.css";

const PaymentNotice = later(async () => (await import("../billing/payment-notice.tsx")).PaymentNotice);

/** What stands around every page. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { url } = useLocation();
  // The next page may work.
  useEffect(() => {
    fault.value = null;
    findReaderAgain();
  }, [url]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {TEXTS.frame.skip}
      </a>
      <TopBar />
      <SideList />
      <main id="main" tabIndex={-1}>
        {fault.value === null ? children : <Failed />}
      </main>
      <Footer />
      <ConnectionBar />
      {returned.value && <PaymentNotice from={returned.value} />}
      <Toasts />
    </div>
  );
}

function Failed() {
  return (
    <div class="problem" role="alert">
      <p>{TEXTS.problems.pageFailed}</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        {TEXTS.problems.reload}
      </button>
    </div>
  );
}
