import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const FOLDER = join(__dirname, "../../../views")
const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => /\.(ejs|css)$/.test(file))
const views = files.filter((file) => file.endsWith(".ejs"))
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8")

describe("the built-in views", () => {
  it("are complete", () => {
    const pages = ["layout", "signin", "signout", "error", "verify-request"].map((name) => `${name}.ejs`)
    const methods = ["form", "oauth", "providers", "webauthn"].map((type) => join("methods", `${type}.ejs`))
    const mails = ["subject", "text", "html"].map((part) => join("mail", `sign-in.${part}.ejs`))
    expect(files).toEqual(expect.arrayContaining([...pages, ...methods, ...mails, "styles.css"]))
  })

  it.each(views)("%s writes only other views unescaped", (file) => {
    const raw = read(file).match(/<%-.*/g) ?? []
    for (const tag of raw) expect(tag).toMatch(/^<%- include\(/)
  })

  /** The elements that load our files, with nothing but the address, the hash and the nonce. */
  const OWN_FILES =
    /<(?:link rel="stylesheet" href|link rel="icon" type="image\/svg\+xml" href|script type="module" src)="<%= (?:page\.(?:(?:developer\.)?styles|icon)|script)\.href %>"[^<>]*(?:<%[^%]*%>[^<>]*)*>(?:<\/script>)?/g

  it.each(views)("%s contains no script and no external URL", (file) => {
    const text = ["layout.ejs", "developer.ejs"].includes(file) ? read(file).replace(OWN_FILES, "") : read(file)
    expect(text).not.toMatch(/<script|<link|<style|\son\w+=|https?:|url\(/i)
  })

  it.each(views.filter((file) => !file.startsWith("mail")))("%s contains no style attribute", (file) => {
    expect(read(file)).not.toMatch(/\sstyle=/i)
  })

  it("style emails by attributes only, and work in both text directions", () => {
    const html = read(join("mail", "sign-in.html.ejs"))
    expect(html).not.toMatch(/<style|class=|<img|@import|src=/i)
    expect(html).not.toMatch(
      /(?:margin|padding|border)-(?:left|right)|[";](?:left|right|float):|(?:align[:=]\s*"?)(?:left|right)/,
    )
  })

  it.each(["styles.css", "developer.css"])("have a %s that loads nothing and works in both text directions", (file) => {
    const css = read(file)
    expect(css).not.toMatch(/url\(|@import|@font-face|https?:/)
    expect(css).not.toMatch(
      /(?:margin|padding|border)-(?:left|right)|(?:^|\s)(?:left|right):|text-align: (?:left|right)/,
    )
  })

  it("have the same colours in the dark mode of the system and of the theme", () => {
    const blocks = [
      ...read("styles.css").matchAll(/:root(?:\[data-color-scheme="?dark"?\]|:not\([^)]*\)) \{([^}]*)\}/g),
    ]
    const [set, system, ...others] = blocks.map(([, text = ""]) => text.match(/--[\w-]+: [^;]+;/g))
    expect(set?.length).toBeGreaterThan(10)
    expect(system).toEqual(set)
    expect(others).toEqual([])
  })

  /** The hex colours of a block of the style sheet, by name. */
  const colorsIn = (selector: RegExp) =>
    Object.fromEntries(
      [...(selector.exec(read("styles.css"))?.[1]?.matchAll(/--([\w-]+): (#[\da-f]+);/g) ?? [])].map(
        ([, name = "", color = ""]) => [name, color],
      ),
    )
  const luminance = (color: string) => {
    const digits = color.slice(1)
    const hex = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const contrast = (one = "", other = "") => {
    const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
    return (light + 0.05) / (dark + 0.05)
  }

  it.each([
    ["light", /:root \{([^}]*)\}/, ["field-line"]],
    ["dark", /:root\[data-color-scheme="dark"\] \{([^}]*)\}/, ["field-line", "button-line"]],
  ])("have texts with a contrast of 4.5:1 and borders of controls with 3:1: %s", (_, selector, lines) => {
    const colors = colorsIn(selector)
    for (const name of ["text", "text-muted"])
      for (const ground of ["surface", "backdrop", "hover"])
        expect([name, ground, contrast(colors[name], colors[ground]) >= 4.5]).toEqual([name, ground, true])
    expect(contrast(colors["alert-text"], colors["alert"])).toBeGreaterThanOrEqual(4.5)
    for (const name of lines) expect([name, contrast(colors[name], colors["surface"]) >= 3]).toEqual([name, true])
  })
})
