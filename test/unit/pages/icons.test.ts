import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createPages } from "../../../lib/pages/render.js"
import { loadFactory, PROVIDER_FILES } from "../../contracts/support/factories.js"
import { visibleText } from "../../support/html.js"
import { folderWith, policyOf, provider, renderSample, signIn, tagsOf } from "./samples.js"

const ROOT = join(__dirname, "../../..")
const ICONS = join(ROOT, "views/icons")
const read = (id: string) => readFileSync(join(ICONS, `${id}.svg`), "utf8")
const icons = readdirSync(ICONS).map((file) => file.replace(/\.svg$/, ""))

/** Icons that were checked by eye to be the logo of the provider and not of another company with the same name. */
const REVIEWED = [
  ...["42-school", "apple", "atlassian", "auth0", "authentik", "battlenet", "bitbucket", "box", "bungie", "clerk"],
  ...["click-up", "digitalocean", "discord", "dribbble", "dropbox", "epic-games", "facebook", "faceit", "figma"],
  ...["foursquare", "fusionauth", "gitea", "github", "gitlab", "google", "hackclub", "hubspot", "huggingface", "hydra"],
  ...["instagram", "kakao", "line", "linear", "mailchimp", "mailru", "mastodon", "mattermost", "medium", "naver"],
  ...["netlify", "nextcloud", "notion", "okta", "orcid", "osu", "patreon", "paypal", "pinterest", "reddit", "roblox"],
  ...["sap", "simplelogin", "snapchat", "spotify", "strava", "supabase", "telegram", "threads", "tiktok", "todoist"],
  ...["trakt", "twitch", "twitter", "vk", "wechat", "wikimedia", "wordpress", "zoom"],
]

describe("the icons of the package", () => {
  const tables = `import { LEFT_OUT, SLUGS } from "./scripts/icons.mjs"; console.log(JSON.stringify([SLUGS, LEFT_OUT]))`
  const [slugs, leftOut]: [Record<string, string>, Record<string, string>] = JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", tables], { cwd: ROOT, encoding: "utf8" }),
  )
  const set: { slug: string; license?: { type: string } }[] = Object.values(require("simple-icons/icons.json"))
  const free = new Set(set.filter(({ license }) => (license?.type ?? "CC0-1.0") === "CC0-1.0").map(({ slug }) => slug))
  const slugOf = (id: string) => slugs[id] ?? id.replaceAll("-", "")
  const providers: { id: string; type: string }[] = []

  beforeAll(async () => {
    // Email providers require these options at once.
    const options = { server: "smtp://mail.example.com", from: "no-reply@example.com" }
    for (const file of PROVIDER_FILES) providers.push((await loadFactory(file))(options))
  })

  it("exist for every OAuth provider whose free icon simple-icons has, and for no other", () => {
    const withButton = providers.filter(({ type }) => type === "oauth" || type === "oidc").map(({ id }) => id)
    const wanted = withButton.filter((id) => free.has(slugOf(id)) && !(id in leftOut))
    expect([...icons].sort()).toEqual(wanted.sort())
    expect(icons).toEqual(expect.arrayContaining(["github", "google"]))
  })

  it("were all checked to be the logo of the provider", () => {
    expect(icons.filter((id) => !REVIEWED.includes(id))).toEqual([])
  })

  it.each(Object.entries(slugs))("map %s to the slug %s", (id, slug) => {
    expect(free.has(slug)).toBe(true)
    expect(providers.map((each) => each.id)).toContain(id)
    // An entry that equals the default slug is superfluous.
    expect(slug).not.toBe(id.replaceAll("-", ""))
  })

  it.each(Object.keys(leftOut))("leave out %s although simple-icons has it", (id) => {
    expect(free.has(slugOf(id))).toBe(true)
    expect(providers.map((each) => each.id)).toContain(id)
  })

  it.each(icons)("%s is a single path without scripts, labels or external references", (id) => {
    expect(read(id)).toMatch(
      /^<svg class="mark" viewBox="0 0 24 24" width="24" height="24" fill="currentColor" aria-hidden="true" focusable="false"><path d="[\w ,.+-]+"\/><\/svg>\n$/,
    )
    const original = readFileSync(require.resolve(`simple-icons/icons/${slugOf(id)}.svg`), "utf8")
    expect(tagsOf(read(id)).at(-1)).toEqual(tagsOf(original).at(-1))
  })
})

describe("a provider on the sign-in page", () => {
  const write = (config: Parameters<typeof createPages>[0], ...ids: string[]) => {
    const pages = createPages(config)
    const providers = ids.map((id) => provider({ id, name: id, initial: id.slice(0, 1), icon: pages.findIconPath(id) }))
    return pages.render("signin", signIn({ providers }))
  }

  it("has an inline icon that is hidden from screen readers", () => {
    const { html } = write({}, "github")
    expect(html).toContain(read("github"))
    expect(visibleText(html)).toMatch(/^Sign in to continue to app\.test Continue with github$/)
    expect(html).not.toContain('class="mark initial"')
  })

  it("shows the first letter of its name if there is no icon", () => {
    const { html } = write({}, "acme")
    expect(html).not.toContain("<svg")
    expect(html).toContain('<span class="mark initial" aria-hidden="true">a</span>')
  })

  it("shows the application's logo instead of the icon", () => {
    const pages = createPages({})
    const providers = [provider({ icon: pages.findIconPath("github"), logo: "/github.svg" })]
    const { html } = pages.render("signin", signIn({ providers }))
    expect(html).toContain('<img class="mark" src="/github.svg"')
    expect(html).not.toContain("<svg")
  })

  it("needs the same Content-Security-Policy with an icon as without", () => {
    const [withIcon, without] = [write({}, "github"), write({}, "acme")]
    expect(policyOf(withIcon)).toEqual(policyOf(without))
    expect(policyOf(withIcon)).toMatchObject({ "default-src": "'none'", "img-src": "'self' data:" })
    expect(withIcon.html).not.toMatch(/\sstyle=|<use|xlink|url\(/)
  })

  it("prefers an icon in the application's views, and includes it unchanged", () => {
    const own = `<svg viewBox="0 0 9 9"><circle r="9" fill="#f00"/></svg> <%= 1 + 1 %>`
    const views = folderWith({ "icons/acme.svg": `\uFEFF${own}`, "icons/github.svg": "<svg><!-- ours --></svg>" })
    const { html } = write({ views }, "acme", "github", "google")
    expect(html).toContain(own)
    expect(html).not.toContain("\uFEFF")
    expect(html).toContain("<svg><!-- ours --></svg>")
    expect(html).not.toContain(read("github"))
    expect(html).toContain(read("google"))
  })

  it.each([
    ...["..", ".", "../icons/github", "../../secret", "x/../../secret", "/secret", "", "~", "github\0"],
    ...["github.svg", "icons/github", "__proto__", "constructor", "toString", "git hub", "github%2f..", "GITHUB?"],
  ])("has no icon for the id %j", (id) => {
    const views = `${folderWith({ "secret.svg": "SECRET", "views/x/a.svg": "", "views/secret.svg": "S" })}/views`
    expect(createPages({ views }).findIconPath(id)).toBeUndefined()
  })

  it("has an icon if its id contains a dot", () => {
    const views = folderWith({ "icons/battle.net.svg": "<svg></svg>" })
    expect(createPages({ views }).findIconPath("battle.net")).toBe("icons/battle.net.svg")
  })

  it("reads its icon file once, even if the file does not exist", () => {
    const views = folderWith({ "icons/acme.svg": "<svg>first</svg>" })
    const pages = createPages({ views })
    const write = () => {
      const providers = ["acme", "late"].map((id) => provider({ id, icon: pages.findIconPath(id) }))
      return pages.render("signin", signIn({ providers })).html
    }
    const before = write()
    expect(before).toContain("<svg>first</svg>")
    rmSync(join(views, "icons/acme.svg"))
    writeFileSync(join(views, "icons/late.svg"), "<svg>late</svg>")
    expect(write()).toBe(before)
  })
})

it("a view can include an SVG file of the application", () => {
  const views = folderWith({ "error.ejs": `<%- include("icons/lock.svg") %>`, "icons/lock.svg": "<svg>lock</svg>" })
  expect(renderSample(createPages({ views }), "error").html).toContain("<svg>lock</svg>")
})

it("a view that includes a missing SVG file throws an error that names it", () => {
  const views = folderWith({ "error.ejs": `<%- include("../lock.svg") %>` })
  expect(() => renderSample(createPages({ views }), "error")).toThrow(/the view "..\/lock.svg"/)
})
