import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import type { DeveloperProps } from "../../../lib/pages/props.js"
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

/** Returns the value with every text in it replaced, except texts that select a kind of element. */
function replaceTexts(value: unknown, text: string, key = ""): unknown {
  if (["type", "colorScheme"].includes(key)) return value
  if (typeof value === "string") return text
  if (Array.isArray(value))
    return value.map((item, index) => (key === "pair" && index === 0 ? item : replaceTexts(item, text)))
  if (typeof value !== "object" || value === null) return value
  const replaced = Object.entries(value).map(([name, item]) =>
    // `inputProps` has checked the names of attributes against a list.
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
  it.each(PAGE_NAMES)("renders %s as one document with one heading and no inline script or style", (name) => {
    const { html } = renderSample(createPages({}), name)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr" data-color-scheme="auto">/)
    const names = tagsOf(html).map((tag) => tag.name)
    for (const element of ["html", "head", "title", "body", "main", "h1"]) {
      expect(names.filter((tag) => tag === element)).toEqual([element])
    }
    expect(names).not.toContain("script")
    expect(names).not.toContain("style")
  })

  it.each(PAGE_NAMES)("renders %s with a link to the unchanged style sheet", (name) => {
    const pages = createPages({})
    const { styles } = pages.assetLinks("/auth")
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

  it("loads the style sheet of the error details only with them", () => {
    const pages = createPages({})
    const { styles, developerStyles } = pages.assetLinks("/auth")
    const sheetsOf = (developer?: DeveloperProps) =>
      tagsOf(
        renderSample(pages, "error", { styles, developer: developer && { ...developer, styles: developerStyles } })
          .html,
      )
        .filter(({ attributes }) => attributes["rel"] === "stylesheet")
        .map(({ attributes }) => attributes["href"])
    expect(sheetsOf()).toEqual([styles.href])
    expect(sheetsOf({ code: "c", title: "t", cause: [], facts: [], fix: [], docs: "d" })).toEqual([
      ...[styles.href, developerStyles.href],
    ])
    const { body } = pages.asset(developerStyles.href.replace("/auth/assets/", "")) ?? {}
    expect(body).toContain(".developer{")
    expect(styleOf(pages)).not.toContain(".developer")
  })

  it("loads a page's scripts, and adds the nonce to scripts and styles", () => {
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

  it.each(PAYLOADS)("escapes every text in the props of a page: %s", (payload) => {
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

  it("adds the theme's colours to the style sheet, which gets another name", () => {
    const [plain, themed] = [createPages({}), createPages({ theme: { brandColor: "#346df1" } })]
    expect(styleOf(themed)).toContain(":root{--brand-color:#346df1;--button-text-color:#fff}")
    expect(themed.assetLinks("")).not.toEqual(plain.assetLinks(""))
  })

  it.each(["red;}*{color:red}", "red}</style><script>alert(1)</script>"])(
    "ignores the invalid colour %s",
    (brandColor) => {
      expect(styleOf(createPages({ theme: { brandColor } }))).toBe(styleOf(createPages({})))
    },
  )

  it("allows the images of the page to load", () => {
    const providers = signIn().providers.map((provider) => ({ ...provider, logo: "https://logos.test/x.svg" }))
    const page = renderSample(createPages({}), "signin", { logo: "https://cdn.test/logo.png", providers })
    expect(page.html).toContain('<img class="logo" src="https://cdn.test/logo.png" alt="">')
    expect(policyOf(page)["img-src"]).toBe("'self' data: https://cdn.test https://logos.test")
    expect(policyOf(renderSample(createPages({}), "error"))["img-src"]).toBe("'self' data:")
  })

  it("allows the configured form targets", () => {
    const page = renderSample(createPages({ formTargets: ["http://localhost:8080"] }), "signin")
    expect(policyOf(page)["form-action"]).toBe("'self' https: http://localhost:8080")
  })

  it.each(["light", "dark"] as const)("sets the colour scheme %s of the theme", (colorScheme) => {
    expect(renderSample(createPages({}), "signin", { colorScheme }).html).toContain(
      `data-color-scheme="${colorScheme}"`,
    )
  })
})

describe("createPages with a folder of views", () => {
  it("replaces pages, partials, the layout and the style sheet one by one", () => {
    const signin = renderSample(
      createPages({ views: folderWith({ "signin.ejs": "<h1>Hello <%= page.host %></h1>" }) }),
      "signin",
    )
    expect(signin.html).toContain("<h1>Hello app.test</h1>")
    expect(signin.html).toContain('<main class="card">')

    const partial = createPages({ views: folderWith({ "methods/oauth.ejs": "<b>[<%= page.provider.id %>]</b>" }) })
    expect(renderSample(partial, "signin").html).toMatch(
      /type="password"[\s\S]*<b>\[github\]<\/b>[\s\S]*<b>\[keycloak\]<\/b>/,
    )

    const layout = createPages({ views: folderWith({ "layout.ejs": "<i><%- include(page.view) %></i>" }) })
    expect(renderSample(layout, "error").html).toMatch(/^<i>[\s\S]*<h1>A heading<\/h1>[\s\S]*<\/i>$/)
    expect(renderSample(layout, "signout").html).toContain("<h1>Sign out</h1>")
  })

  it.each([
    ["quotes, brackets and entities", `a > b::after { content: "<&'\\"" } /* é </ style> */`],
    ["a byte order mark and unusual line ends", "\uFEFFa {\r\n  color: red;\r}\r\n"],
  ])("accepts a style sheet with %s", (_, css) => {
    const style = styleOf(createPages({ views: folderWith({ "styles.css": css }), theme: { brandColor: "#000" } }))
    expect(style).not.toMatch(/[\r\uFEFF]/)
    expect(style).toMatch(/color|content/)
    expect(style).toContain("--brand-color:#000")
    expect(style).not.toContain(".card")
  })

  it("removes comments and indentation from the style sheet", () => {
    const css = [
      `/* it's */\na::before,\n  b > i\n  u {\n  content: "/* kept */\\\n  kept";`,
      `  margin: 1px/* apart */2px;\n  color: red;\n}\nq {\n  quotes: '\\'/*' '*/';\n}\n`,
    ].join("\n")
    expect(styleOf(createPages({ views: folderWith({ "styles.css": css }) }))).toBe(
      `a::before,b > i u{content:"/* kept */\\\n  kept";margin:1px/**/2px;color:red;}q{quotes:'\\'/*' '*/';}`,
    )
  })

  it("keeps the meaning of a style sheet with an unterminated string", () => {
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
  ])("keeps the meaning of the style sheet %s", (css, shorter) => {
    expect(styleOf(createPages({ views: folderWith({ "styles.css": css }) }))).toBe(shorter)
  })

  it("serves the application's passkeys.js", () => {
    const pages = createPages({ views: folderWith({ "passkeys.js": "\uFEFFrun()" }) })
    const { passkeys } = pages.assetLinks("")
    expect(passkeys).toEqual({ href: expect.stringMatching(/^\/assets\/passkeys\./), integrity: expect.any(String) })
    const asset = pages.asset(passkeys?.href.replace("/assets/", "") ?? "")
    expect(asset).toEqual({ ...asset, body: "run()", type: "text/javascript; charset=utf-8" })
  })

  it.each(["styles.css", "passkeys.js", "styles.AAAAAAAAAAAAAAAAAAAAAA.css", "signin.ejs", "", "__proto__"])(
    "does not serve %j",
    (name) => expect(createPages({}).asset(name)).toBeUndefined(),
  )

  it("lets views include further partials with the props of the parent and further props", () => {
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
  ])("does not include %j", (name) => {
    const parent = folderWith({
      "secret.ejs": "SECRET",
      secret: "SECRET",
      "views/error.ejs": `<%- include(${JSON.stringify(name)}) %>`,
    })
    expect(() => renderSample(createPages({ views: `${parent}/views` }), "error")).toThrow(/the view .* does not exist/)
  })

  it("does not mix the views of different configurations", () => {
    const [one, two, none] = ["one", "two", undefined].map((text) =>
      createPages(text ? { views: folderWith({ "error.ejs": text, "hidden-fields.ejs": text }) } : {}),
    )
    if (!one || !two || !none) throw new Error("the list has fewer than three entries")
    for (let round = 0; round < 2; round++) {
      expect(renderSample(one, "error").html).toMatch(/<main class="card">\s*one\s*<\/main>/)
      expect(renderSample(two, "error").html).toMatch(/<main class="card">\s*two\s*<\/main>/)
      expect(renderSample(none, "error").html).toContain("A heading")
      expect(renderSample(two, "signin").html).toMatch(/<form[^>]*>\s*two/)
      expect(renderSample(none, "signin").html).not.toMatch(/<form[^>]*>\s*two/)
    }
  })

  it("reads a view once", () => {
    const views = folderWith({ "error.ejs": "before" })
    const pages = createPages({ views })
    expect(renderSample(pages, "error").html).toContain("before")
    writeFileSync(`${views}/error.ejs`, "after")
    expect(renderSample(pages, "error").html).toContain("before")
    expect(renderSample(createPages({ views }), "error").html).toContain("after")
  })

  it.each([
    [
      "an error at run time",
      "<h1>\n\n<%= page.user.name %>\n</h1>",
      /error\.ejs:3\n[\s\S]*page\.user\.name[\s\S]*Cannot read properties of undefined/,
    ],
    ["a syntax error in its JavaScript", "<h1>\n<% if ( { %>\n</h1>\n<% } %>", /error\.ejs:2 Unexpected token/],
    ["a tag that is not closed", "<h1>\n\n\n<%= page.title\n</h1>", /error\.ejs:4 Could not find matching close tag/],
  ])("reports the file and the line of %s", (_, text, message) => {
    expect(() => renderSample(createPages({ views: folderWith({ "error.ejs": text }) }), "error")).toThrow(message)
  })

  it("viewsProblem reports a folder that does not exist or is not a folder", () => {
    const views = folderWith({ "error.ejs": "" })
    expect(viewsProblem(undefined)).toBeUndefined()
    expect(viewsProblem(views)).toBeUndefined()
    expect(viewsProblem(`${views}/nothing`)).toBe(`is the folder ${views}/nothing, which does not exist`)
    expect(viewsProblem(`${views}/error.ejs`)).toMatch(/is the folder .*, which does not exist$/)
  })
})
