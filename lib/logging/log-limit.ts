/** The maximum number of records of one kind per minute, so that clients can't fill the log. */
const RECORDS_PER_MINUTE = 10
const MINUTE_MS = 60_000

/** Limits the log records of one kind, and counts the omitted records. */
export interface LogLimit {
  /**
   * Call this before a record is written. Returns how many records were omitted since the last written record, or
   * undefined if this record must be omitted too.
   */
  take(): number | undefined
}

/** Creates a limit that starts a new count in each minute of the clock. */
export function createLogLimit(now: () => number): LogLimit {
  let countedMinute = 0
  let written = 0
  let omitted = 0
  return {
    take() {
      const currentMinute = Math.floor(now() / MINUTE_MS)
      if (currentMinute !== countedMinute) [countedMinute, written] = [currentMinute, 0]
      if (written >= RECORDS_PER_MINUTE) {
        omitted++
        return undefined
      }
      const omittedBefore = omitted
      written++
      omitted = 0
      return omittedBefore
    },
  }
}
