import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const FOLDER = join(__dirname, "../../../views")
const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => /\.(ejs|css)$/.test(file))
const views = files.filter((file) => file.endsWith(".ejs"))
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8")

describe("the built-in views", () => {
  it("are all there", () => {
    const pages = ["layout", "signin", "signout", "error", "verify-request"].map((name) => `${name}.ejs`)
    const methods = ["oauth", "email", "credentials"].map((type) => join("methods", `${type}.ejs`))
    const mails = ["subject", "text", "html"].map((part) => join("mail", `sign-in.${part}.ejs`))
    expect(files).toEqual(expect.arrayContaining([...pages, ...methods, ...mails, "styles.css"]))
  })

  it.each(views)("%s writes nothing unescaped but other views", (file) => {
    const raw = read(file).match(/<%-.*/g) ?? []
    for (const tag of raw) expect(tag).toMatch(/^<%- include\(/)
  })

  /** The layout's elements for files of ours: nothing stands in them but their address, its hash and the nonce. */
  const OWN_FILES =
    /<(?:link rel="stylesheet" href|link rel="icon" type="image\/svg\+xml" href|script type="module" src)="<%= (?:page\.(?:styles|icon)|script)\.href %>"[^<>]*(?:<%[^%]*%>[^<>]*)*>(?:<\/script>)?/g

  it.each(views)("%s holds neither script nor foreign address", (file) => {
    const text = file === "layout.ejs" ? read(file).replace(OWN_FILES, "") : read(file)
    expect(text).not.toMatch(/<script|<link|<style|\son\w+=|https?:|url\(/i)
  })

  it.each(views.filter((file) => !file.startsWith("mail")))("%s holds no style attribute", (file) => {
    expect(read(file)).not.toMatch(/\sstyle=/i)
  })

  it("have mails with styles in attributes only, which work in both directions of writing", () => {
    const html = read(join("mail", "sign-in.html.ejs"))
    expect(html).not.toMatch(/<style|class=|<img|@import|src=/i)
    expect(html).not.toMatch(
      /(?:margin|padding|border)-(?:left|right)|[";](?:left|right|float):|(?:align[:=]\s*"?)(?:left|right)/,
    )
  })

  it("have a style sheet that asks for nothing and works in both directions of writing", () => {
    const css = read("styles.css")
    expect(css).not.toMatch(/url\(|@import|@font-face|https?:/)
    expect(css).not.toMatch(
      /(?:margin|padding|border)-(?:left|right)|(?:^|\s)(?:left|right):|text-align: (?:left|right)/,
    )
  })

  it("look alike in a dark system and in a page that is set dark", () => {
    const blocks = [
      ...read("styles.css").matchAll(/:root(?:\[data-color-scheme="?dark"?\]|:not\([^)]*\)) \{([^}]*)\}/g),
    ]
    const [set, system, ...others] = blocks.map(([, text = ""]) => text.match(/--[\w-]+: [^;]+;/g))
    expect(set?.length).toBeGreaterThan(10)
    expect(system).toEqual(set)
    expect(others).toEqual([])
  })
})
