import { ErrorBoundary, LocationProvider, Route, Router } from "preact-iso";
import { NotFound } from "../components/not-found.tsx";
import { Frame } from "../frame/frame.tsx";
import { arrived, failed, SITE_PATHS } from "../site/navigation.ts";
import { site } from "../site/page-data.ts";
import { ROUTES } from "./site-pages.tsx";

const routes = Object.entries(ROUTES).filter(([path]) => site.development || path !== "/gallery");

/** The whole site: the frame, and the page of the address in it. */
export function Site() {
  return (
    <LocationProvider scope={SITE_PATHS}>
      <Frame>
        <ErrorBoundary onError={failed}>
          <Router onRouteChange={arrived}>
            {routes.map(([path, routeTo]) => routeTo(path))}
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Frame>
    </LocationProvider>
  );
}
