import type { CookieJar } from "./cookie-jar.js"
import { type FetchAgent, fetchAgent, fetchCookieJar } from "./fetch.js"
import { type PlaywrightContext, playwrightCookieJar } from "./playwright.js"
import { type SuperagentAgent, superagentCookieJar } from "./superagent.js"

/** A test agent: an agent of supertest or superagent, a context of Playwright, or a `fetchAgent`. */
export type Agent = SuperagentAgent | PlaywrightContext | FetchAgent

/**
 * Returns the cookie jar of an agent. For a URL, it creates a new agent.
 *
 * @throws TypeError when the argument is not an agent
 */
export function cookieJarFor(agent: Agent | string | URL): CookieJar {
  if (typeof agent === "string" || agent instanceof URL) return fetchCookieJar(fetchAgent(agent))
  if (typeof agent === "object" && agent !== null) {
    if ("jar" in agent) return superagentCookieJar(agent)
    if ("addCookies" in agent) return playwrightCookieJar(agent)
    if ("setCookie" in agent) return fetchCookieJar(agent)
  }
  throw new TypeError(
    "the first argument is not an agent with cookies. Pass request.agent(app) of supertest, a BrowserContext of Playwright, or fetchAgent(origin)",
  )
}
