/** The return URL of a sign-in link. The email must contain no readable text from the client that requests the link. */
import { describeServers } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, openLink, startMailSite } from "../support/mail.js"
import { sessionOf, withParams } from "../support/site.js"

guardProcess()

const ADA = "ada@example.com"
const LURE = "/YOU-WON-collect-it-at-www.evil.example"

describeServers("The return URL of a sign-in link", (start) => {
  async function requestLink(callbackUrl: string, headers: Record<string, string> = {}) {
    const site = await startMailSite(start)
    const browser = site.browser({ headers })
    await askForLink(browser, ADA, { callbackUrl })
    const [sent] = site.mail.sent
    if (!sent) throw new Error("no email was sent")
    return { site, browser, sent, returnUrl: `${site.app.origin}${callbackUrl}` }
  }

  it.each(["html", "text", "subject"] as const)(
    "SEC-10: is not readable in the %s of the email, nor is any header of the requester",
    async (part) => {
      const { site, sent } = await requestLink(LURE, {
        "accept-language": "x-you-won, de-YOU-WON;q=0.9, YOU-WON",
        "user-agent": LURE,
        referer: `https://www.evil.example${LURE}`,
        "x-forwarded-host": "www.evil.example",
      })
      expect(sent.url).not.toMatch(/you-won|evil/i)
      expect(sent.mail[part]).not.toMatch(/you-won|evil/i)
      expect(sent.mail.text).toContain(sent.url)
      expect(new URL(sent.url).origin).toBe(site.app.origin)
    },
  )

  it("SEC-10: is used in the requesting browser and in another one", async () => {
    for (const isOther of [false, true]) {
      const { site, browser, sent, returnUrl } = await requestLink("/cart?a=1#b")
      const landed = await openLink(isOther ? site.browser() : browser, sent.url)
      expect(landed.location).toBe(returnUrl)
    }
  })

  it("SEC-10: is read from a link with a plain callbackUrl", async () => {
    const { site, sent } = await requestLink("/cart")
    const link = withParams(sent.url, { callbackUrl: "/orders", state: undefined })
    const landed = await openLink(site.browser(), link)
    expect(landed.location).toBe(`${site.app.origin}/orders`)
  })

  it("SEC-10: is the home page if it was changed or encrypted by another site, and the link works", async () => {
    const foreign = await startMailSite(start, {
      config: { secret: "another secret, of more than thirty-two letters" },
    })
    await askForLink(foreign.browser(), ADA, { callbackUrl: "/foreign" })
    const foreignState = new URL(foreign.mail.linkTo(ADA)).searchParams.get("state") ?? ""
    for (const state of ["", "/orders", "https://evil.example/", foreignState, `${foreignState}A`]) {
      const { site, sent } = await requestLink("/cart")
      const visitor = site.browser()
      const landed = await openLink(visitor, withParams(sent.url, { state }))
      expect([state, landed.location]).toEqual([state, `${site.app.origin}/`])
      expect(await sessionOf(visitor)).toMatchObject({ user: { email: ADA } })
    }
  })
})
