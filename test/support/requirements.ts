/**
 * A requirement of ten lines, and the page on which users meet it.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { completeRequirement, pendingSignIn } from "../../lib/index.js"
import type { PendingSignIn, Requirement } from "../../lib/types.js"
import type { StartOptions } from "./apps.js"
import type { Browser, Page } from "./browser.js"

/** The requirement to accept the terms, for all users who have not accepted them. */
export function createTerms(accepted = new Set<unknown>()): Requirement & { readonly accepted: Set<unknown> } {
  return {
    accepted,
    name: "terms",
    isOpen: ({ user }) => !accepted.has(user.email),
    page: "/terms",
  }
}

interface PendingRequest extends IncomingMessage {
  pendingSignIn(): Promise<PendingSignIn | null>
  completeRequirement(name: string, data?: unknown): Promise<{ redirectTo: string }>
}

/** The pages of requirements: GET returns the pending sign-in as JSON, POST meets the requirement. */
export const requirementPages = (names: readonly string[] = ["terms"]): Pick<StartOptions, "routes" | "pages"> => ({
  async pages(request, config) {
    const name = names.find((one) => new URL(request.url).pathname === `/${one}`)
    if (name === undefined) return undefined
    if (request.method !== "POST") return Response.json(await pendingSignIn(request, config))
    // Like an application that reads its form.
    await request.text()
    return completeRequirement(request, config, { name, data: { version: 3 } })
  },
  routes(app) {
    for (const name of names)
      app.use(`/${name}`, async (received, res: ServerResponse, next) => {
        const req = received as unknown as PendingRequest
        try {
          if (req.method !== "POST") return res.end(JSON.stringify(await req.pendingSignIn()))
          const { redirectTo } = await req.completeRequirement(name, { version: 3 })
          return res.writeHead(302, { location: redirectTo }).end()
        } catch (error) {
          next(error)
        }
      })
  },
})

/** Meets a requirement on its page. */
export const meet = (browser: Browser, name = "terms"): Promise<Page> => browser.post(`/${name}`, {})
