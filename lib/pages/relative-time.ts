const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The units and their length in milliseconds, longest first. */
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
]

/**
 * Formats the time since a past moment in a language. Unlike a date, the text does not depend on the visitor's time
 * zone, which the server does not know.
 *
 * @example
 * formatRelativeTime(now - 90_000, { lang: "en", now }) // "1 minute ago"
 */
export function formatRelativeTime(time: number, { lang, now }: { lang: string; now: number }): string {
  const age = now - time
  const [unit, ms] = UNITS.find(([, length]) => age >= length) ?? []
  if (unit === undefined || ms === undefined)
    return new Intl.RelativeTimeFormat(lang, { numeric: "auto" }).format(0, "second")
  return new Intl.RelativeTimeFormat(lang).format(-Math.floor(age / ms), unit)
}
