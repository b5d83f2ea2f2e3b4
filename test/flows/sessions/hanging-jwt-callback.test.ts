/** A `jwt` callback that never settles while a session is read. */
import type { AuthConfig } from "../../../lib/types.js"
import { configOf, signIn } from "../../express/support/servers.js"
import { describeServers } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import { failOnUnhandled } from "../../support/unhandled.js"
import { until } from "../../support/wait.js"

failOnUnhandled()

/** A configuration whose `jwt` callback hangs while `state.hangs` is true. */
function hangingConfig() {
  const state = { hangs: false, calls: 0 }
  const config: AuthConfig = configOf({
    callbacks: {
      jwt({ token, user }) {
        if (user) return token
        state.calls++
        return state.hangs ? new Promise<never>(() => {}) : token
      },
    },
  })
  return { state, config }
}

describeServers("session whose jwt callback never settles", (start, stage) => {
  const PATHS = ["/me", "/auth/session"]

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  /** Requests each path, and advances the time once the first request has reached the callback. */
  async function requestAll(browser: Browser, hasArrived: () => boolean): Promise<Page[]> {
    let isOver = false
    const pages = Promise.all(PATHS.map((path) => browser.clone().get(path))).finally(() => {
      isOver = true
    })
    await until(hasArrived)
    for (let seconds = 0; !isOver && seconds < 60; seconds++) await jest.advanceTimersByTimeAsync(1_000)
    return pages
  }

  it("responds 503 after five seconds, and with the session once the callback settles again", async () => {
    const { state, config } = hangingConfig()
    const app = await start(config)
    const browser = app.browser()
    await signIn(browser)
    state.hangs = true
    const callsBefore = state.calls
    for (const page of await requestAll(browser, () => state.calls > callsBefore))
      expect([page.status, page.headers.getSetCookie()]).toEqual([503, []])
    const expected = { type: "CallbackRouteError", messageCode: "request-timed-out", status: 503 }
    if (stage !== "Auth()") expect(app.errors).toMatchObject(PATHS.map(() => expected))
    state.hangs = false
    for (const path of PATHS) expect(await (await browser.get(path)).json()).toMatchObject({ user: { name: "ada" } })
  })
})
