import { site, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";

/** Where to read on. */
export function Footer() {
  const { footer } = TEXTS.frame;
  return (
    <footer class="footer">
      <ul>
        {site.pages.map((page) => (
          <li key={page}>
            <a href={to(`/about/${page}`)}>{footer[page]}</a>
          </li>
        ))}
        <li>
          <a href={to("/support")}>{footer.support}</a>
        </li>
        <li>
          <a href={to("/docs")}>{footer.rest}</a>
        </li>
        <li>
          <a href={to("/docs/sockets")}>{footer.events}</a>
        </li>
        <li>
          <a href={to("/docs/guides")}>{footer.guides}</a>
        </li>
      </ul>
    </footer>
  );
}
