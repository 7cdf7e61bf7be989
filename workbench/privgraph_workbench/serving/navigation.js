// Mends three things that Streamlit's browser half leaves to be wished, once for each tab.
//
// A visit is one entry of the history, whatever the server corrects in the address: the same page is another visit only
// where it shows another run, or another step of a lesson. It begins at the page's top, a step at its title. A link is
// followed as Back is: the address alone says what is drawn, and shell.py keeps it whole; an entry that was corrected on
// the way to another page gets its own address back. In the top bar, the name of the page that is shown does nothing; on
// a run's view it opens the page afresh.
(() => {
  if (window.privgraphNavigation) return;
  window.privgraphNavigation = true;

  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let corrected = null; // what this page's entry was before it was corrected last
  const run = (address) => (/\/(train|runs)$/.test(address.pathname) ? address.searchParams.get("run") : null);
  const attacked = (here, next) => {
    const [was, is] = [here, next].map((one) => /\/(attacks|audit)$/.test(one.pathname) && one.searchParams.get("run"));
    return Boolean(was && is && was !== is);
  };
  const step = (address) => ["lesson", "step"].map((name) => address.searchParams.get(name)).join(".");
  const top = () => document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  history.pushState = (state, title, to) => {
    const here = new URL(location.href);
    const next = new URL(to ?? here, here);
    const same =
      next.pathname === here.pathname && run(next) === run(here) && step(next) === step(here) && !attacked(here, next);
    if (!same && corrected && next.search === here.search) replace(history.state, "", corrected);
    corrected = same ? here.href : null;
    (same ? replace : push)(state, title, to);
    if (!same) top();
    const heading = step(next) !== step(here) ? document.querySelector("[data-testid=stMain] h1") : null;
    heading?.setAttribute("tabindex", "-1");
    heading?.style.setProperty("outline", "none"); // it is no control: nothing can be done there
    heading?.focus({ preventScroll: true });
  };

  document.addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.('a[data-testid*="Nav"]');
      const elsewhere = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!link || link.target === "_blank" || elsewhere) return;
      const shown = link.getAttribute("aria-current") === "page";
      if (shown && !new URL(location.href).searchParams.has("run")) return;
      event.preventDefault();
      event.stopPropagation();
      push({}, "", link.href);
      top();
      window.dispatchEvent(new PopStateEvent("popstate")); // as after Back: the address alone says what is drawn
      document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click(); // a phone's menu closes
    },
    true,
  );
})();
