import { isCssColor, themeRules } from "../../../lib/pages/theme.js"

describe("isCssColor", () => {
  it.each([
    "#fff",
    "#FFFA",
    "#346df1",
    "#346df180",
    "rgb(1, 2, 3)",
    "rgb(1 2 3)",
    "rgb(10% 20% 30% / 50%)",
    "rgba(1,2,3,.5)",
    "hsl(120, 50%, 50%)",
    "hsl(120deg 50% 50% / 0.3)",
    "hsla(0.5turn, 50%, 50%, 1)",
    "oklch(45% 0.2 260)",
    "OKLCH(0.45 0.2 260deg / 80%)",
    "rebeccapurple",
  ])("accepts %j", (text) => {
    expect(isCssColor(text)).toBe(true)
  })

  it.each([
    "",
    " #fff",
    "#ff",
    "#fffff",
    "#ggg",
    "rgb(1, 2)",
    "rgb(1, 2 3)",
    "rgb(1px 2px 3px)",
    "rgb(1,2,3",
    "hsl(1, 2, 3)",
    "oklch(1, 2, 3)",
    "url(https://evil.test/x)",
    "var(--x)",
    "red;}body{display:none",
    "red}</style><script>alert(1)</script>",
    "red\n",
    "red blue",
    "inherit",
    "transparent",
    "currentColor",
    "#fff;background:url(//evil.test)",
  ])("rejects %j", (text) => {
    expect(isCssColor(text)).toBe(false)
  })
})

describe("themeRules", () => {
  const rules = (brandColor?: string, buttonText?: string) =>
    themeRules({ ...(brandColor !== undefined && { brandColor }), ...(buttonText !== undefined && { buttonText }) })
  const both = (brand: string, text: string) => expect.stringContaining(pair(brand, text))
  const pair = (brand: string, text: string) => `\n:root{--brand-color:${brand};--button-text-color:${text}`

  it("returns no rules without colours", () => {
    expect(rules()).toBe("")
    expect(rules("", "")).toBe("")
  })

  it("uses both colours of the theme", () => {
    expect(rules("gold", "hsl(0 0% 20%)")).toEqual(both("gold", "hsl(0 0% 20%)"))
  })

  it.each([
    ["#000", "#fff"],
    ["#fff", "#000"],
    ["#346df1", "#fff"],
    ["#ffd700", "#000"],
    ["rgb(255 215 0)", "#000"],
    ["rgb(100%, 100%, 100%)", "#000"],
    ["#767676", "#fff"],
    ["#777777", "#000"],
  ])("chooses a readable text colour on %s: %s", (brand, text) => {
    expect(rules(brand)).toEqual(both(brand, text))
  })

  it("chooses a text colour with a contrast of at least 4.5:1 on every grey", () => {
    const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    for (let grey = 0; grey < 256; grey++) {
      const luminance = linear(grey / 255)
      const isWhite = rules(`rgb(${grey} ${grey} ${grey})`).includes("color:#fff")
      expect(isWhite ? 1.05 / (luminance + 0.05) : (luminance + 0.05) / 0.05).toBeGreaterThan(4.5)
    }
  })

  it("chooses a readable brand colour for a text colour without a brand colour", () => {
    expect(rules(undefined, "#fff")).toEqual(both("#000", "#fff"))
    expect(rules(undefined, "#111")).toEqual(both("#fff", "#111"))
  })

  it("blends a translucent colour with white, so that its text is readable in dark mode too", () => {
    expect(rules("rgba(0, 0, 0, 0.5)")).toEqual(both("rgb(128 128 128)", "#000"))
    expect(rules("#00000080")).toEqual(both("rgb(127 127 127)", "#000"))
  })

  it("lets the browser compute the text colour for a named colour, with white as the fallback", () => {
    const text = rules("gold")
    expect(text).toMatch(/^\n:root\{--brand-color:gold;--button-text-color:#fff\}\n@supports /)
    for (const name of ["light", "dark"]) expect(text).toContain(`--brand-on-${name}:color(from gold xyz-d65 `)
    expect(text).toContain("--button-text-color:color(from gold xyz-d65 ")
  })

  const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  const luminance = (hex: string) => {
    const [red = 0, green = 0, blue = 0] = (hex.match(/[\da-f]{2}/g) ?? []).map(
      (pair) => Number.parseInt(pair, 16) / 255,
    )
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
  const contrast = (one: string, other: string) => {
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }
  /** The background colours of text in `views/styles.css`, in light and in dark mode. */
  const SURFACES = { light: ["#ffffff", "#f5f5f7", "#fef2f2"], dark: ["#09090b", "#18181b", "#242428"] }

  it("makes every brand colour readable as text on every surface", () => {
    const steps = [0, 51, 102, 128, 153, 204, 255]
    const colors = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => [red, green, blue])))
    for (const color of colors)
      for (const [name, surfaces] of Object.entries(SURFACES)) {
        const [, text = ""] = new RegExp(`--brand-on-${name}:(#[\\da-f]{6})[;}]`).exec(rules(`rgb(${color})`)) ?? []
        for (const surface of surfaces)
          expect([`${color}`, text, surface, contrast(text, surface) >= 4.5]).toEqual([`${color}`, text, surface, true])
      }
  })

  it.each([
    ["#123456", "light"],
    ["#0000ff", "light"],
    ["#aabbcc", "dark"],
  ])("keeps %s as the text colour on %s surfaces, where it is readable", (color, name) => {
    expect(rules(color)).toContain(`--brand-on-${name}:${color}`)
  })

  it("ignores invalid colours", () => {
    expect(rules("red;}*{color:red", "x()")).toBe("")
    expect(rules("#346df1", "</style>")).toEqual(both("#346df1", "#fff"))
    // JavaScript callers can pass any type.
    expect(themeRules(JSON.parse('{"brandColor": 7, "buttonText": {}}'))).toBe("")
  })
})
