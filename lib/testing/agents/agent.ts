import { type FetchAgent, fetchAgent, fetchKeeper } from "./fetch.js"
import type { CookieKeeper } from "./keeper.js"
import { type PlaywrightContext, playwrightKeeper } from "./playwright.js"
import { type SuperagentAgent, superagentKeeper } from "./superagent.js"

/** What may be signed in: an agent of supertest or superagent, a context of Playwright, a `fetchAgent`. */
export type Agent = SuperagentAgent | PlaywrightContext | FetchAgent

/**
 * What keeps an agent's cookies; for the address of a site a new agent.
 *
 * @throws TypeError for everything that is no agent
 */
export function keeperOf(agent: Agent | string | URL): CookieKeeper {
  if (typeof agent === "string" || agent instanceof URL) return fetchKeeper(fetchAgent(agent))
  if (typeof agent === "object" && agent !== null) {
    if ("jar" in agent) return superagentKeeper(agent)
    if ("addCookies" in agent) return playwrightKeeper(agent)
    if ("setCookie" in agent) return fetchKeeper(agent)
  }
  throw new TypeError(
    "this keeps no cookies. Give request.agent(app) of supertest, a BrowserContext of Playwright, or fetchAgent(origin)",
  )
}
