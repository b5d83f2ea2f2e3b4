const DAY_SECONDS = 86_400
/** Seconds from 1970 to the last moment that a `Date` can tell. */
const LAST_SECOND = 8.64e12

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : `${number}`)

/**
 * Writes times as `Date` does. Sessions in use end within a day or two of each other: the day's text is kept, and the
 * rest costs a tenth of `toISOString()`.
 */
export function createTimeText(): (seconds: number) => string | undefined {
  let day = 0
  let dayText = isoOf(0).slice(0, -13)
  return (seconds) => {
    if (!(Math.abs(seconds) <= LAST_SECOND)) return undefined
    if (!Number.isInteger(seconds)) return isoOf(seconds)
    const thatDay = Math.floor(seconds / DAY_SECONDS)
    if (thatDay !== day) [day, dayText] = [thatDay, isoOf(thatDay * DAY_SECONDS).slice(0, -13)]
    const rest = seconds - thatDay * DAY_SECONDS
    const [hours, minutes] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60]
    return `${dayText}${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(rest % 60)}.000Z`
  }
}
