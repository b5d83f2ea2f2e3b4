import type { Theme } from "../base/types.js"

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d+)?|\.\d+)`
const VALUE = `${NUMBER}%?`
const ANGLE = `${NUMBER}(?:deg|grad|rad|turn)?`

/** `rgb(1, 2, 3, 0.5)`: the same separator throughout. */
const withCommas = (name: string, ...parts: string[]) => `${name}\\( *${parts.join(" *, *")}(?: *, *${VALUE})? *\\)`
/** `rgb(1 2 3 / 50%)`. */
const withSpaces = (name: string, ...parts: string[]) => `${name}\\( *${parts.join(" +")}(?: */ *${VALUE})? *\\)`

const FUNCTIONS = [
  withCommas("rgba?", VALUE, VALUE, VALUE),
  withSpaces("rgba?", VALUE, VALUE, VALUE),
  withCommas("hsla?", ANGLE, `${NUMBER}%`, `${NUMBER}%`),
  withSpaces("hsla?", ANGLE, VALUE, VALUE),
  withSpaces("oklch", VALUE, VALUE, ANGLE),
]
const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i
const CALL = new RegExp(`^(?:${FUNCTIONS.join("|")})$`, "i")
const WORD = /^[a-z]{3,}$/i
/** CSS keywords that are valid colour values but not colours. */
const NO_COLOR = /^(?:inherit|initial|unset|revert|none|auto|transparent|currentcolor)$/i

/**
 * Whether the text is a CSS colour: hex, `rgb()`, `hsl()` or `oklch()` with plain numbers, or a colour name.
 *
 * The text is inserted into a style sheet, so nothing that could end a declaration is accepted.
 */
export function isCssColor(text: string): boolean {
  return HEX.test(text) || CALL.test(text) || (WORD.test(text) && !NO_COLOR.test(text))
}

/** Red, green and blue from 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number]
type Rgba = readonly [...rgb: Rgb, alpha: number]

function parseHex(text: string): Rgba {
  const digits = text.slice(1)
  const pairs = digits.length < 6 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0, alpha = 255] = pairs.map((pair) => Number.parseInt(pair, 16))
  return [red, green, blue, alpha / 255]
}

const share = (text: string, whole: number): number => {
  const number = text.endsWith("%") ? (Number.parseFloat(text) / 100) * whole : Number.parseFloat(text)
  return Math.min(Math.max(number, 0), whole)
}

function parseRgbCall(text: string): Rgba {
  const [red = "0", green = "0", blue = "0", alpha = "1"] = text.match(new RegExp(VALUE, "g")) ?? []
  return [share(red, 255), share(green, 255), share(blue, 255), share(alpha, 1)]
}

function parseRgba(color: string): Rgba | undefined {
  if (HEX.test(color)) return parseHex(color)
  return /^rgb/i.test(color) ? parseRgbCall(color) : undefined
}

/** Blends the colour onto white. */
function flatten([red, green, blue, alpha]: Rgba): Rgb {
  const over = (channel: number) => Math.round(channel * alpha + 255 * (1 - alpha))
  return [over(red), over(green), over(blue)]
}

const toLinear = (channel: number): number => {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

const toHex = (rgb: Rgb): string => `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`

/** WCAG 2.2, "relative luminance". */
const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue)

/**
 * Up to this luminance white text has a contrast of at least 4.5:1 (WCAG 2.2 SC 1.4.3); above it black text has more.
 */
const DARK_LUMINANCE = 1.05 / 4.5 - 0.05

/** Returns white if it is readable on the colour, otherwise black; undefined if only a browser can compute the colour. */
function contrasting(color: string): string | undefined {
  const rgba = parseRgba(color)
  if (!rgba) return undefined
  return luminance(flatten(rgba)) <= DARK_LUMINANCE ? "#fff" : "#000"
}

// A translucent colour looks different in light and dark mode, so its text colour would fit only one of them.
function opaque(color: string): string {
  const rgba = parseRgba(color)
  return rgba && rgba[3] < 1 ? `rgb(${flatten(rgba).join(" ")})` : color
}

const parseColor = (value: unknown): string | undefined =>
  typeof value === "string" && isCssColor(value) ? opaque(value) : undefined

/**
 * The theme's colours as the CSS custom properties `--brand-color` and `--button-text-color`, from which `styles.css`
 * derives the others. If one is missing, it is black or white; the browser chooses if only it can compute the given one.
 * "" if the theme has no valid colour.
 */
export function themeRules(theme: Theme): string {
  const brand = parseColor(theme.brandColor)
  const text = parseColor(theme.buttonText)
  const given = brand ?? text
  if (given === undefined) return ""
  const partner = contrasting(given)
  const properties = { "--brand-color": brand ?? partner, "--button-text-color": text ?? partner }
  const declarations = Object.entries(properties).filter(([, color]) => color !== undefined)
  return `\n:root{${declarations.map(([name, color]) => `${name}:${color}`).join(";")}}\n`
}

/** The colours of Auth.js's emails, so that emails look the same after a migration. */
const MAIL_BRAND_COLOR = "#346df1"
const MAIL_BUTTON_TEXT = "#fff"

/** In hex if the colour can be computed, because all email clients support hex. */
function mailColor(value: unknown): string | undefined {
  const color = parseColor(value)
  const rgba = color && parseRgba(color)
  return rgba ? toHex(flatten(rgba)) : color
}

/** The button colours of an email. A missing text colour is black or white if it can be computed. */
export function mailColors(theme: Theme): { readonly brandColor: string; readonly buttonText: string } {
  const brandColor = mailColor(theme.brandColor) ?? MAIL_BRAND_COLOR
  return { brandColor, buttonText: mailColor(theme.buttonText) ?? contrasting(brandColor) ?? MAIL_BUTTON_TEXT }
}
