const DAY_SECONDS = 86_400
/** The last time that a `Date` can represent, in seconds since 1970. */
const LAST_SECOND = 8.64e12

const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString()

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : `${number}`)

/**
 * Formats seconds since 1970 as `Date.toISOString()` does, in a tenth of the time: sessions in use expire within a few
 * days of each other, so the text of the last day is cached. Returns undefined for an invalid time.
 */
export function createTimeText(): (seconds: number) => string | undefined {
  let day = 0
  let dayText = toIso(0).slice(0, -13)
  return (seconds) => {
    if (!(Math.abs(seconds) <= LAST_SECOND)) return undefined
    if (!Number.isInteger(seconds)) return toIso(seconds)
    const newDay = Math.floor(seconds / DAY_SECONDS)
    if (newDay !== day) [day, dayText] = [newDay, toIso(newDay * DAY_SECONDS).slice(0, -13)]
    const rest = seconds - newDay * DAY_SECONDS
    const [hours, minutes] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60]
    return `${dayText}${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(rest % 60)}.000Z`
  }
}
