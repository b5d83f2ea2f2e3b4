import { createHeaders, type PageNeeds } from "../../../lib/pages/headers.js"

const NOTHING: PageNeeds = { images: [], hasScripts: false, nonce: undefined }
const directives = (needs: Partial<PageNeeds>, formTargets: string[] = []) =>
  createHeaders(formTargets)({ ...NOTHING, ...needs })["Content-Security-Policy"]?.split("; ") ?? []
const policy = (images: string[] = [], formTargets: string[] = []) => directives({ images }, formTargets)
const imageSources = (...images: string[]) => policy(images).find((text) => text.startsWith("img-src"))

describe("createHeaders", () => {
  it("forbids loading, framing, sniffing and caching by default", () => {
    expect(createHeaders([])(NOTHING)).toEqual({
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": expect.stringContaining("default-src 'none'; style-src 'self'; "),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "X-Frame-Options": "DENY",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cache-Control": "private, no-cache, no-store",
      Expires: "0",
      Pragma: "no-cache",
    })
    expect(policy()).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "base-uri 'none'",
      "object-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'self' https:",
      "img-src 'self' data:",
    ])
  })

  it("allows scripts and connections to this site only if the page has scripts", () => {
    const added = directives({ hasScripts: true }).filter((text) => !policy().includes(text))
    expect(added).toEqual(["script-src 'self'", "connect-src 'self'"])
  })

  it.each(["rAnd0m", "a+b/c==", "a-b_c", "0123456789abcdef"])("includes the application's nonce %s", (nonce) => {
    expect(directives({ nonce })).toContain(`style-src 'self' 'nonce-${nonce}'`)
    expect(directives({ nonce }).join()).not.toContain("script-src")
    expect(directives({ nonce, hasScripts: true })).toContain(`script-src 'self' 'nonce-${nonce}'`)
  })

  it.each(["", "a b", "a';script-src *", "a;b", "a,b", "é", "===", "a=b", "a\n"])(
    "ignores the invalid nonce %j",
    (nonce) => {
      expect(directives({ nonce, hasScripts: true })).toEqual(directives({ hasScripts: true }))
    },
  )

  it("allows form targets, and ignores invalid sources", () => {
    const targets = ["http://localhost:8080", "http://localhost:8080", "x; script-src *", "a b", "a,b", ""]
    expect(policy([], targets)).toContain("form-action 'self' https: http://localhost:8080")
  })

  it.each([
    ["https://cdn.test/logo.png?a=b;c", "img-src 'self' data: https://cdn.test"],
    ["http://localhost:3001/logo.png", "img-src 'self' data: http://localhost:3001"],
    ["//cdn.test/logo.png", "img-src 'self' data: cdn.test"],
    ["/logo.png", "img-src 'self' data:"],
    ["data:image/png;base64,AAAA", "img-src 'self' data:"],
    ["javascript:alert(1)", "img-src 'self' data:"],
    ["https://", "img-src 'self' data:"],
    ["https://a;script-src.test/x", "img-src 'self' data:"],
    ["//a;b/x", "img-src 'self' data:"],
    ["", "img-src 'self' data:"],
  ])("for the image %j allows only %s", (address, directive) => {
    expect(imageSources(address)).toBe(directive)
  })

  it("lists a source once", () => {
    expect(imageSources("https://cdn.test/a", "https://cdn.test/b")).toBe("img-src 'self' data: https://cdn.test")
  })
})
