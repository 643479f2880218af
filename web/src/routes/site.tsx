import { ErrorBoundary, LocationProvider, Route, Router } from "preact-iso";
import { page } from "../components/later.tsx";
import { NotFound } from "../components/not-found.tsx";
import { Frame } from "../frame/frame.tsx";
import { arrived, failed, SITE_PATHS } from "../site/navigation.ts";
import { site, to } from "../site/page-data.ts";
import { ACCOUNT_PAGES } from "./account-pages.ts";

const Home = page(async () => (await import("../discovery/home.tsx")).Home);
const Categories = page(async () => (await import("../discovery/categories.tsx")).Categories);
const Category = page(async () => (await import("../discovery/category.tsx")).Category);
const Search = page(async () => (await import("../discovery/search.tsx")).Search);
const Following = page(async () => (await import("../discovery/following.tsx")).Following);
const Video = page(async () => (await import("../live/videos/video.tsx")).Video);
const Clip = page(async () => (await import("../live/clips/clip.tsx")).Clip);
const SignIn = page(async () => (await import("../accounts/sign-in/sign-in.tsx")).SignIn);
const SignUp = page(async () => (await import("../accounts/sign-up/sign-up.tsx")).SignUp);
const Gallery = page(async () => (await import("../gallery/gallery.tsx")).Gallery);
const Notifications = page(async () => (await import("../notifications/notifications.tsx")).Notifications);
const Whispers = page(async () => (await import("../whispers/whispers.tsx")).Whispers);
const Support = page(async () => (await import("../safety/support.tsx")).Support);
const Channel = page(async () => (await import("../channels/channel.tsx")).Channel);

const DEVELOPERS_PAGES = site.development ? [["/gallery", Gallery] as const] : [];

/** The whole site: the frame, and the page of the address in it. */
export function Site() {
  return (
    <LocationProvider scope={SITE_PATHS}>
      <Frame>
        <ErrorBoundary onError={failed}>
          <Router onRouteChange={arrived}>
            <Route path={to("/")} component={Home} />
            <Route path={to("/categories")} component={Categories} />
            <Route path={to("/categories/:category_id")} component={Category} />
            <Route path={to("/search")} component={Search} />
            <Route path={to("/following")} component={Following} />
            <Route path={to("/sign-in")} component={SignIn} />
            <Route path={to("/sign-up")} component={SignUp} />
            <Route path={to("/videos/:video_id")} component={Video} />
            <Route path={to("/clips/:clip_id")} component={Clip} />
            <Route path={to("/notifications")} component={Notifications} />
            <Route path={to("/whispers")} component={Whispers} />
            <Route path={to("/whispers/:username")} component={Whispers} />
            <Route path={to("/support")} component={Support} />
            {ACCOUNT_PAGES.map(([path, Page]) => (
              <Route key={path} path={to(path)} component={Page} />
            ))}
            {DEVELOPERS_PAGES.map(([path, Page]) => (
              <Route key={path} path={to(path)} component={Page} />
            ))}
            <Route path={to("/:username")} component={Channel} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Frame>
    </LocationProvider>
  );
}
