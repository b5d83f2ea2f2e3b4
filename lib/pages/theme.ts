import type { Theme } from "../base/types.js"

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d+)?|\.\d+)`
const VALUE = `${NUMBER}%?`
const ANGLE = `${NUMBER}(?:deg|grad|rad|turn)?`

/** Returns a pattern for a colour function with commas, such as `rgb(1, 2, 3, 0.5)`. */
const withCommas = (name: string, ...parts: string[]) => `${name}\\( *${parts.join(" *, *")}(?: *, *${VALUE})? *\\)`
/** Returns a pattern for a colour function with spaces, such as `rgb(1 2 3 / 50%)`. */
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
/** Matches CSS keywords that colour properties accept, but that can't be a colour of the theme. */
const NOT_A_COLOR = /^(?:inherit|initial|unset|revert|none|auto|transparent|currentcolor)$/i

/**
 * True if the text is a CSS colour: hex, `rgb()`, `hsl()` or `oklch()` with numbers, or a word such as a colour name.
 *
 * The text is inserted into a style sheet, so characters that could end a declaration are not accepted.
 */
export function isCssColor(text: string): boolean {
  return HEX.test(text) || CALL.test(text) || (WORD.test(text) && !NOT_A_COLOR.test(text))
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

/** Parses a number or a percentage of `max`, and limits it to the range from 0 to `max`. */
const parseChannel = (text: string, max: number): number => {
  const number = text.endsWith("%") ? (Number.parseFloat(text) / 100) * max : Number.parseFloat(text)
  return Math.min(Math.max(number, 0), max)
}

function parseRgbCall(text: string): Rgba {
  const [red = "0", green = "0", blue = "0", alpha = "1"] = text.match(new RegExp(VALUE, "g")) ?? []
  return [parseChannel(red, 255), parseChannel(green, 255), parseChannel(blue, 255), parseChannel(alpha, 1)]
}

/** Parses a hex colour or `rgb()`; returns undefined for other colours, such as names, which only browsers convert. */
function parseRgba(color: string): Rgba | undefined {
  if (HEX.test(color)) return parseHex(color)
  return /^rgb/i.test(color) ? parseRgbCall(color) : undefined
}

/** Blends a translucent colour with white. */
function blendWithWhite([red, green, blue, alpha]: Rgba): Rgb {
  const blend = (channel: number) => Math.round(channel * alpha + 255 * (1 - alpha))
  return [blend(red), blend(green), blend(blue)]
}

const toLinear = (channel: number): number => {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

const toHex = (rgb: Rgb): string => `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`

/** Returns the relative luminance of a colour (WCAG 2.2), from 0 for black to 1 for white. */
const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue)

/**
 * The maximum luminance of a background on which white text has a contrast of at least 4.5:1 (WCAG 2.2 SC 1.4.3). On
 * lighter backgrounds, black text has a higher contrast.
 */
const MAX_DARK_LUMINANCE = 1.05 / 4.5 - 0.05

/** Returns white or black, whichever is readable on this colour; undefined if `parseRgba` can't parse the colour. */
function contrastingColor(color: string): string | undefined {
  const rgba = parseRgba(color)
  if (!rgba) return undefined
  return luminance(blendWithWhite(rgba)) <= MAX_DARK_LUMINANCE ? "#fff" : "#000"
}

/**
 * Blends a translucent hex or `rgb()` colour with white, and returns other colours unchanged. A translucent colour
 * would look different in light and dark mode, so no text colour would be readable in both.
 */
function toOpaque(color: string): string {
  const rgba = parseRgba(color)
  return rgba && rgba[3] < 1 ? `rgb(${blendWithWhite(rgba).join(" ")})` : color
}

const parseColor = (value: unknown): string | undefined =>
  typeof value === "string" && isCssColor(value) ? toOpaque(value) : undefined

/**
 * Returns a CSS rule that sets `--brand-color` and `--button-text-color`, from which `styles.css` derives its other
 * colours. If the theme has only one of the two colours, black or white is chosen for the missing colour, so that the
 * contrast is sufficient. If the given colour can't be parsed here, as with a colour name, the missing colour is left
 * out, and `styles.css` computes it. Returns "" if the theme has no valid colour.
 */
export function themeRules(theme: Theme): string {
  const brand = parseColor(theme.brandColor)
  const text = parseColor(theme.buttonText)
  const themeColor = brand ?? text
  if (themeColor === undefined) return ""
  const missingColor = contrastingColor(themeColor)
  const properties = { "--brand-color": brand ?? missingColor, "--button-text-color": text ?? missingColor }
  const declarations = Object.entries(properties).filter(([, color]) => color !== undefined)
  return `\n:root{${declarations.map(([name, color]) => `${name}:${color}`).join(";")}}\n`
}

/** The default colours are those of Auth.js, so that emails look the same after a migration from Auth.js. */
const MAIL_BRAND_COLOR = "#346df1"
const MAIL_BUTTON_TEXT = "#fff"

/**
 * Converts a hex or `rgb()` colour to the form #rrggbb, which all email clients support. Returns other valid colours
 * unchanged, and undefined if the value is not a colour.
 */
function mailColor(value: unknown): string | undefined {
  const color = parseColor(value)
  const rgba = color && parseRgba(color)
  return rgba ? toHex(blendWithWhite(rgba)) : color
}

/**
 * Returns the button colours of an email. If the theme has no text colour, the text is black or white, depending on the
 * brand colour.
 */
export function mailColors(theme: Theme): { readonly brandColor: string; readonly buttonText: string } {
  const brandColor = mailColor(theme.brandColor) ?? MAIL_BRAND_COLOR
  return { brandColor, buttonText: mailColor(theme.buttonText) ?? contrastingColor(brandColor) ?? MAIL_BUTTON_TEXT }
}
