import type { AuthConfig } from "../../../lib/types.js"
import type { Start } from "../../support/apps.js"
import { Browser, type Send } from "../../support/browser.js"
import { overNetwork } from "../../support/network.js"

const ORIGIN = "http://app.test"

/** One site with several processes, which are replaced while it runs. */
export interface BalancedSite {
  browser(): Browser
  /** Replaces the running applications one after the other. */
  deploy(config: AuthConfig, afterEach: () => Promise<void>): Promise<void>
  /** Responses with a status of 500 or more, and requests without a response. */
  readonly failures: string[]
}

/** Starts an application for each process. */
export async function startBalanced(start: Start, config: AuthConfig, processes: number): Promise<BalancedSite> {
  const open = async () => (await start({ ...config })).origin
  const addresses = await Promise.all(Array.from({ length: processes }, open))
  const failures: string[] = []
  let turn = 0
  const send: Send = async (request) => {
    const response = await overNetwork(request, addresses[turn++ % addresses.length])
    if (response.status >= 500) failures.push(`${request.method} ${request.url}: ${response.status}`)
    return response
  }
  return {
    failures,
    browser: () => new Browser({ origin: ORIGIN, send }),
    async deploy(next, afterEach) {
      for (const index of addresses.keys()) {
        addresses[index] = (await start({ ...next })).origin
        await afterEach()
      }
    },
  }
}
