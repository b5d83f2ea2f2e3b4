/**
 * Functions of the application that never come to an end while a session is read.
 */
import type { AuthConfig } from "../../lib/types.js"
import { configOf, signIn } from "../express/support/servers.js"
import { describeServers } from "../support/apps.js"
import type { Browser, Page } from "../support/browser.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { until } from "../support/wait.js"

failOnUnhandled()

/** An application whose `jwt` callback hangs for whoever asks while it `hangs`. */
function hangingConfig() {
  const state = { hangs: false, asked: 0 }
  const config: AuthConfig = configOf({
    callbacks: {
      jwt({ token, user }) {
        if (user) return token
        state.asked++
        return state.hangs ? new Promise<never>(() => {}) : token
      },
    },
  })
  return { state, config }
}

describeServers("a session whose jwt callback never settles", (start, stage) => {
  const PATHS = ["/me", "/auth/session"]

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "Date", "performance"] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  /** Answers of `browser`, for which the time passes from when the first has come to the callback. */
  async function waitFor(browser: Browser, hasCome: () => boolean): Promise<Page[]> {
    let isOver = false
    const asking = Promise.all(PATHS.map((path) => browser.clone().get(path))).finally(() => {
      isOver = true
    })
    await until(hasCome)
    for (let seconds = 0; !isOver && seconds < 60; seconds++) await jest.advanceTimersByTimeAsync(1_000)
    return asking
  }

  it("is answered with 503 after five seconds, and with the session when the callback does so again", async () => {
    const { state, config } = hangingConfig()
    const app = await start(config)
    const browser = app.browser()
    await signIn(browser)
    state.hangs = true
    const startedAt = state.asked
    for (const page of await waitFor(browser, () => state.asked > startedAt))
      expect([page.status, page.headers.getSetCookie()]).toEqual([503, []])
    const told = { type: "CallbackRouteError", messageCode: "answer-too-late", status: 503 }
    if (stage !== "Auth()") expect(app.errors).toMatchObject(PATHS.map(() => told))
    state.hangs = false
    for (const path of PATHS) expect(await (await browser.get(path)).json()).toMatchObject({ user: { name: "ada" } })
  })
})
