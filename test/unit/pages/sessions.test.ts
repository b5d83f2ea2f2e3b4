import { formatRelativeTime } from "../../../lib/pages/relative-time.js"
import { createPages } from "../../../lib/pages/render.js"
import { createLanguages } from "../../../lib/pages/texts.js"
import { parseForms, visibleText } from "../../support/html.js"
import { folderWith, renderSample, sessions as sample, tagsOf } from "./samples.js"

const pages = createPages({})
const SECOND = 1_000
const DAY = 24 * 60 * 60 * SECOND

describe("formatRelativeTime", () => {
  it.each([
    [0, "now"],
    [-5 * SECOND, "now"],
    [59 * SECOND, "now"],
    [60 * SECOND, "1 minute ago"],
    [3_599 * SECOND, "59 minutes ago"],
    [3_600 * SECOND, "1 hour ago"],
    [DAY - 1, "23 hours ago"],
    [DAY, "1 day ago"],
    [29 * DAY, "29 days ago"],
    [61 * DAY, "2 months ago"],
    [800 * DAY, "2 years ago"],
  ])("formats an age of %d ms as %s", (age, expected) => {
    expect(formatRelativeTime(10 * DAY - age, { lang: "en", now: 10 * DAY })).toBe(expected)
  })

  it("formats in the given language", () => {
    expect(formatRelativeTime(0, { lang: "fr", now: 120 * SECOND })).toBe("il y a 2 minutes")
  })
})

describe("the page of the user's sessions", () => {
  const { html } = renderSample(pages, "sessions")

  it("describes each session, this device first", () => {
    expect(visibleText(html)).toContain(
      [
        "Where you are signed in Unknown browser This device IP address: 192.0.2.0/24 Last used: now",
        "Firefox on Windows Signed in with GitHub Last used: 1 hour ago Sign out",
      ].join(" "),
    )
  })

  it("has a form for each other session and one for all other sessions, which work without a script", () => {
    const forms = parseForms(html)
    expect(forms.map(({ method, action, fields }) => ({ method, action, ...fields }))).toEqual([
      { method: "POST", action: "https://app.test/auth/sessions", csrfToken: "a-token", do: "end", id: "one" },
      { method: "POST", action: "https://app.test/auth/sessions", csrfToken: "a-token", do: "end-others" },
    ])
    expect(html).not.toContain("<script")
  })

  it("has a description for each button that has the same text as others", () => {
    const tags = tagsOf(html)
    const headings = tags.flatMap(({ name, attributes: { id } }) => (name === "h2" ? [id] : []))
    const described = tags.flatMap(({ attributes }) => attributes["aria-describedby"] ?? [])
    expect([headings, described]).toEqual([["session-1", "session-2"], ["session-2"]])
  })

  it("keeps addresses left-to-right in every language", () => {
    const arabic = renderSample(pages, "sessions", createLanguages({}).for("ar")).html
    expect(arabic).toContain('<bdi dir="ltr">192.0.2.0/24</bdi>')
  })

  it("has no form if there is only this session", () => {
    const alone = renderSample(pages, "sessions", { sessions: sample.sessions.slice(0, 1), hasOthers: false }).html
    expect(parseForms(alone)).toEqual([])
  })

  it("lists the trusted browsers, which need no second factor, with a form that removes each", () => {
    const trusted = { id: "trusted-device-1", deviceId: "three", browser: "Safari", platform: "macOS" }
    const createdAt = new Date("2026-03-01T12:00:00Z")
    const page = renderSample(pages, "sessions", { trustedDevices: [{ ...trusted, createdAt }] }).html
    expect(visibleText(page)).toContain("Safari on macOS Trusted since March 1, 2026 Remove")
    const form = parseForms(page).find(({ fields }) => fields["do"] === "distrust")
    expect(form?.fields).toMatchObject({ csrfToken: "a-token", id: "three" })
  })

  it("is linked from the page of the user's passkeys if sessionsUrl is set", () => {
    const link = '<a class="button" href="https://app.test/auth/sessions">Where you are signed in</a>'
    expect(renderSample(pages, "passkeys").html).toContain(link)
    expect(renderSample(pages, "passkeys", { sessionsUrl: undefined }).html).not.toContain("/sessions")
  })

  it("can be replaced by a template of the application", () => {
    const views = folderWith({ "sessions.ejs": "<p><%= page.sessions.length %> devices</p>" })
    expect(visibleText(renderSample(createPages({ views }), "sessions").html)).toContain("2 devices")
  })
})
