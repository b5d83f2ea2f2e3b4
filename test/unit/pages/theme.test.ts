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
  const both = (brand: string, text: string) => `\n:root{--brand-color:${brand};--button-text-color:${text}}\n`

  it("returns no rules without colours", () => {
    expect(rules()).toBe("")
    expect(rules("", "")).toBe("")
  })

  it("uses both colours of the theme", () => {
    expect(rules("gold", "hsl(0 0% 20%)")).toBe(both("gold", "hsl(0 0% 20%)"))
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
    expect(rules(brand)).toBe(both(brand, text))
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
    expect(rules(undefined, "#fff")).toBe(both("#000", "#fff"))
    expect(rules(undefined, "#111")).toBe(both("#fff", "#111"))
  })

  it("blends a translucent colour with white, so that its text is readable in dark mode too", () => {
    expect(rules("rgba(0, 0, 0, 0.5)")).toBe(both("rgb(128 128 128)", "#000"))
    expect(rules("#00000080")).toBe(both("rgb(127 127 127)", "#000"))
  })

  it("leaves the other colour to the style sheet if only a browser can compute the given one", () => {
    expect(rules("gold")).toBe("\n:root{--brand-color:gold}\n")
    expect(rules(undefined, "gold")).toBe("\n:root{--button-text-color:gold}\n")
  })

  it("ignores invalid colours", () => {
    expect(rules("red;}*{color:red", "x()")).toBe("")
    expect(rules("#346df1", "</style>")).toBe(both("#346df1", "#fff"))
    // JavaScript callers can pass any type.
    expect(themeRules(JSON.parse('{"brandColor": 7, "buttonText": {}}'))).toBe("")
  })
})
