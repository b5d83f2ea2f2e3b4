/**
 * A requirement of ten lines, and the page on which users meet it.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http"
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
export const requirementPages =
  (names: readonly string[] = ["terms"]): NonNullable<StartOptions["routes"]> =>
  (app) => {
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
  }

/** Meets a requirement on its page. */
export const meet = (browser: Browser, name = "terms"): Promise<Page> => browser.post(`/${name}`, {})
