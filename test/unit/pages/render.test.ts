import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { createPages } from "../../../lib/pages/render.js"
import { viewsProblem } from "../../../lib/pages/templates.js"
import { folderWith, PAGE_NAMES, policyOf, renderSample, signIn, styleOf, tagsOf } from "./samples.js"

const PAYLOADS = [
  `"><script>alert(1)</script>`,
  `' onload='alert(1)' x='`,
  `" autofocus onfocus="alert(1)`,
  `</title></style><svg onload=alert(1)>`,
  `<%= process.env %><!-- -->`,
  `&lt;script&gt;`,
]

/** The value with every text in it replaced, but for those that name a kind of thing. */
function replaceTexts(value: unknown, text: string, key = ""): unknown {
  if (["type", "colorScheme"].includes(key)) return value
  if (typeof value === "string") return text
  if (Array.isArray(value))
    return value.map((item, index) => (key === "pair" && index === 0 ? item : replaceTexts(item, text)))
  if (typeof value !== "object" || value === null) return value
  const replaced = Object.entries(value).map(([name, item]) =>
    // Attributes' names come from a list that `inputProps` has checked.
    name === "attributes"
      ? [name, item.map((pair: unknown) => replaceTexts(pair, text, "pair"))]
      : [name, replaceTexts(item, text, name)],
  )
  return Object.fromEntries(replaced)
}

const outlineOf = (html: string) =>
  tagsOf(html).map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(" "))

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64")

describe("createPages", () => {
  it.each(PAGE_NAMES)("writes %s as one document with one heading", (name) => {
    const { html } = renderSample(createPages({}), name)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr" data-color-scheme="auto">/)
    const names = tagsOf(html).map((tag) => tag.name)
    for (const once of ["html", "head", "title", "body", "main", "h1"]) {
      expect(names.filter((tag) => tag === once)).toEqual([once])
    }
    expect(names).not.toContain("script")
    expect(names).not.toContain("style")
  })

  it.each(PAGE_NAMES)("has %s load the style sheet, unchanged, and no other", (name) => {
    const pages = createPages({})
    const { styles } = pages.assetsAt("/auth")
    const { html } = renderSample(pages, name, { styles })
    const [, file = ""] = /^\/auth\/assets\/(styles\.[\w-]{22}\.css)$/.exec(styles.href) ?? []
    const links = tagsOf(html).filter(({ name, attributes }) => name === "link" && attributes["rel"] !== "icon")
    expect(links).toEqual([
      { name: "link", attributes: { rel: "stylesheet", href: `/auth/assets/${file}`, integrity: styles.integrity } },
    ])
    const { body, type } = pages.asset(file) ?? {}
    expect(type).toBe("text/css; charset=utf-8")
    expect(styles.integrity).toBe(`sha256-${hashOf(body ?? "")}`)
  })

  it("loads scripts where a page has them, and puts the nonce on both", () => {
    const scripts = [{ href: "/auth/assets/passkeys.x.js", integrity: "sha256-x" }]
    const page = renderSample(createPages({}), "signin", { scripts, nonce: "rAnd0m" })
    const tags = tagsOf(page.html)
    expect(tags.find(({ name }) => name === "script")?.attributes).toEqual({
      ...{ type: "module", src: "/auth/assets/passkeys.x.js", integrity: "sha256-x", nonce: "rAnd0m" },
    })
    const styles = tags.find(({ attributes }) => attributes["rel"] === "stylesheet")
    expect(styles?.attributes).toMatchObject({ nonce: "rAnd0m" })
    expect(policyOf(page)).toMatchObject({
      "style-src": "'self' 'nonce-rAnd0m'",
      "script-src": "'self' 'nonce-rAnd0m'",
      "connect-src": "'self'",
    })
  })

  it.each(PAYLOADS)("escapes whatever the props of a page say: %s", (payload) => {
    const pages = createPages({})
    for (const name of PAGE_NAMES) {
      const props = {
        ...signIn({ error: "e", email: "e", logo: "/l" }),
        heading: "h",
        message: "m",
        action: "/a",
        offersSignIn: true,
        names: ["n"],
        continueUrl: "/c",
      }
      const write = (text: string) => pages.render(name, Object.assign({}, props, replaceTexts(props, text))).html
      expect(outlineOf(write(payload))).toEqual(outlineOf(write("plain")))
      expect(write(payload)).not.toContain(payload)
    }
  })

  it("puts the theme's colours into the style sheet, which has another name then", () => {
    const [plain, themed] = [createPages({}), createPages({ theme: { brandColor: "#346df1" } })]
    expect(styleOf(themed)).toContain(":root{--brand-color:#346df1;--button-text-color:#fff;")
    expect(themed.assetsAt("")).not.toEqual(plain.assetsAt(""))
  })

  it.each(["red;}*{color:red}", "red}</style><script>alert(1)</script>"])("ignores the colour %s", (brandColor) => {
    expect(styleOf(createPages({ theme: { brandColor } }))).toBe(styleOf(createPages({})))
  })

  it("lets the page's own images load", () => {
    const providers = signIn().providers.map((provider) => ({ ...provider, logo: "https://logos.test/x.svg" }))
    const page = renderSample(createPages({}), "signin", { logo: "https://cdn.test/logo.png", providers })
    expect(page.html).toContain('<img class="logo" src="https://cdn.test/logo.png" alt="">')
    expect(policyOf(page)["img-src"]).toBe("'self' data: https://cdn.test https://logos.test")
    expect(policyOf(renderSample(createPages({}), "error"))["img-src"]).toBe("'self' data:")
  })

  it("lets forms lead where the configuration says", () => {
    const page = renderSample(createPages({ formTargets: ["http://localhost:8080"] }), "signin")
    expect(policyOf(page)["form-action"]).toBe("'self' https: http://localhost:8080")
  })

  it.each(["light", "dark"] as const)("is %s when the theme says so", (colorScheme) => {
    expect(renderSample(createPages({}), "signin", { colorScheme }).html).toContain(
      `data-color-scheme="${colorScheme}"`,
    )
  })
})

describe("a folder of own views", () => {
  it("replaces pages, partials, the layout and the style sheet one by one", () => {
    const signin = renderSample(
      createPages({ views: folderWith({ "signin.ejs": "<h1>Hello <%= page.host %></h1>" }) }),
      "signin",
    )
    expect(signin.html).toContain("<h1>Hello app.test</h1>")
    expect(signin.html).toContain('<main class="card">')

    const partial = createPages({ views: folderWith({ "methods/oauth.ejs": "<b>[<%= page.provider.id %>]</b>" }) })
    expect(renderSample(partial, "signin").html).toMatch(
      /type="email"[\s\S]*<b>\[github\]<\/b>[\s\S]*<b>\[keycloak\]<\/b>/,
    )

    const layout = createPages({ views: folderWith({ "layout.ejs": "<i><%- include(page.view) %></i>" }) })
    expect(renderSample(layout, "error").html).toMatch(/^<i>[\s\S]*<h1>A heading<\/h1>[\s\S]*<\/i>$/)
    expect(renderSample(layout, "signout").html).toContain("<h1>Sign out</h1>")
  })

  it.each([
    ["quotes, brackets and entities", `a > b::after { content: "<&'\\"" } /* é </ style> */`],
    ["an unusual end of lines", "\uFEFFa {\r\n  color: red;\r}\r\n"],
  ])("may style the pages with %s", (_, css) => {
    const style = styleOf(createPages({ views: folderWith({ "styles.css": css }), theme: { brandColor: "#000" } }))
    expect(style).not.toMatch(/[\r\uFEFF]/)
    expect(style).toMatch(/color|content/)
    expect(style).toContain("--brand-color:#000")
    expect(style).not.toContain(".card")
  })

  it("is styled without the comments and the indentation of its style sheet", () => {
    const css = [
      `/* it's */\na::before,\n  b > i\n  u {\n  content: "/* kept */\\\n  kept";`,
      `  margin: 1px/* apart */2px;\n  color: red;\n}\nq {\n  quotes: '\\'/*' '*/';\n}\n`,
    ].join("\n")
    expect(styleOf(createPages({ views: folderWith({ "styles.css": css }) }))).toBe(
      `a::before,b > i u{content:"/* kept */\\\n  kept";margin:1px/**/2px;color:red;}q{quotes:'\\'/*' '*/';}`,
    )
  })

  it("is styled as it was meant after a string that is never closed", () => {
    const css = `a { content: "open;\n}\nb { content: "/* kept */" }`
    expect(styleOf(createPages({ views: folderWith({ "styles.css": css }) }))).toBe(
      `a{content:"open;\n}b{content:"/* kept */"}`,
    )
  })

  it.each([
    ["a :is(b) , c > d", "a :is(b),c > d"],
    ["a{--none: ;--some: 1}", "a{--none: ;--some:1}"],
    [
      "@media (min-width: 1px) and (color) { a { b: calc(1px + -1px) } }",
      "@media (min-width:1px) and (color){a{b:calc(1px + -1px)}}",
    ],
    ["a /* x */ b/**/c", "a b/**/c"],
    ["", ""],
  ])("means the same when it is shorter: %s", (css, shorter) => {
    expect(styleOf(createPages({ views: folderWith({ "styles.css": css }) }))).toBe(shorter)
  })

  it("may bring a script of its own for passkeys", () => {
    const pages = createPages({ views: folderWith({ "passkeys.js": "\uFEFFrun()" }) })
    const { passkeys } = pages.assetsAt("")
    expect(passkeys).toEqual({ href: expect.stringMatching(/^\/assets\/passkeys\./), integrity: expect.any(String) })
    const asset = pages.asset(passkeys?.href.replace("/assets/", "") ?? "")
    expect(asset).toEqual({ ...asset, body: "run()", type: "text/javascript; charset=utf-8" })
  })

  it.each(["styles.css", "passkeys.js", "styles.AAAAAAAAAAAAAAAAAAAAAA.css", "signin.ejs", "", "__proto__"])(
    "is never sent as %j",
    (name) => expect(createPages({}).asset(name)).toBeUndefined(),
  )

  it("may have partials of its own, with props of its parent and more", () => {
    const views = folderWith({
      "error.ejs": `<%- include("parts/note", { text: "<x>" }) %><%- include("parts/note.ejs", { text: "y" }) %>`,
      "parts/note.ejs": "[<%= page.heading %>: <%= page.text %>]",
    })
    expect(renderSample(createPages({ views }), "error").html).toContain("[A heading: &lt;x&gt;][A heading: y]")
  })

  it.each([
    "../secret",
    "/etc/passwd",
    "parts/../../secret",
    "./secret",
    "..\\secret",
    "secret\0",
    "parts//secret",
    "C:/secret",
    "",
    "nothing",
  ])("can't include %j", (name) => {
    const parent = folderWith({
      "secret.ejs": "SECRET",
      secret: "SECRET",
      "views/error.ejs": `<%- include(${JSON.stringify(name)}) %>`,
    })
    expect(() => renderSample(createPages({ views: `${parent}/views` }), "error")).toThrow(/there is no view/)
  })

  it("never meets another configuration's", () => {
    const [one, two, none] = ["one", "two", undefined].map((text) =>
      createPages(text ? { views: folderWith({ "error.ejs": text, "hidden-fields.ejs": text }) } : {}),
    )
    if (!one || !two || !none) throw new Error("three were made")
    for (let round = 0; round < 2; round++) {
      expect(renderSample(one, "error").html).toMatch(/<main class="card">\s*one\s*<\/main>/)
      expect(renderSample(two, "error").html).toMatch(/<main class="card">\s*two\s*<\/main>/)
      expect(renderSample(none, "error").html).toContain("A heading")
      expect(renderSample(two, "signin").html).toMatch(/<form[^>]*>\s*two/)
      expect(renderSample(none, "signin").html).not.toMatch(/<form[^>]*>\s*two/)
    }
  })

  it("is read once", () => {
    const views = folderWith({ "error.ejs": "before" })
    const pages = createPages({ views })
    expect(renderSample(pages, "error").html).toContain("before")
    writeFileSync(`${views}/error.ejs`, "after")
    expect(renderSample(pages, "error").html).toContain("before")
    expect(renderSample(createPages({ views }), "error").html).toContain("after")
  })

  it.each([
    [
      "a mistake at run time",
      "<h1>\n\n<%= page.nobody.name %>\n</h1>",
      /error\.ejs:3\n[\s\S]*page\.nobody\.name[\s\S]*Cannot read properties of undefined/,
    ],
    ["a mistake in its JavaScript", "<h1>\n<% if ( { %>\n</h1>\n<% } %>", /error\.ejs:2 Unexpected token/],
    ["a tag that is not closed", "<h1>\n\n\n<%= page.title\n</h1>", /error\.ejs:4 Could not find matching close tag/],
  ])("says file and line of %s", (_, text, message) => {
    expect(() => renderSample(createPages({ views: folderWith({ "error.ejs": text }) }), "error")).toThrow(message)
  })

  it("is looked for at start-up", () => {
    const views = folderWith({ "error.ejs": "" })
    expect(viewsProblem(undefined)).toBeUndefined()
    expect(viewsProblem(views)).toBeUndefined()
    expect(viewsProblem(`${views}/nothing`)).toBe(
      `there is no folder ${views}/nothing; name one that holds EJS templates, or leave it out`,
    )
    expect(viewsProblem(`${views}/error.ejs`)).toMatch(/there is no folder/)
  })
})
