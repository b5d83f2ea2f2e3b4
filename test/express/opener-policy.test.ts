import express from "express"
import { authMiddleware } from "../../lib/index.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { configOf, servers } from "./support/servers.js"

failOnUnhandled()
const serve = servers()

describe("Cross-Origin-Opener-Policy of the built-in pages", () => {
  async function policies(site: string, applicationPolicy?: string) {
    const app = express()
    app.use((_req, res, next) => {
      if (applicationPolicy) res.set("Cross-Origin-Opener-Policy", applicationPolicy)
      next()
    })
    app.use(authMiddleware(configOf()))
    const browser = (await serve(app)).browser({ headers: { accept: "text/html", "sec-fetch-site": site } })
    const pages = await Promise.all(
      ["signin", "signout", "error", "verify-request"].map((name) => browser.get(`/auth/${name}`)),
    )
    return [...new Set(pages.map(({ headers }) => headers.get("cross-origin-opener-policy")))]
  }

  it.each(["cross-site", "same-site", "none", ""])("SEC-11: is same-origin with Sec-Fetch-Site: %s", async (site) => {
    expect(await policies(site)).toEqual(["same-origin"])
  })

  it("SEC-11: is not sent if a page of the same site opens the page", async () => {
    expect(await policies("same-origin")).toEqual([null])
  })

  it.each(["cross-site", "same-origin"])(
    "SEC-11: is the application's policy with Sec-Fetch-Site: %s",
    async (site) => {
      expect(await policies(site, "same-origin-allow-popups")).toEqual(["same-origin-allow-popups"])
    },
  )
})
