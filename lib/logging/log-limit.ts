/** The maximum number of records of one kind per minute, so that clients can't fill the log. */
const RECORDS_PER_MINUTE = 10
const MINUTE_MS = 60_000

/** Limits the number of log records of one kind, and counts the omitted ones. */
export interface LogLimit {
  /** Returns how many records were omitted since the last written one; undefined if this one has to be omitted too. */
  take(): number | undefined
}

export function createLogLimit(now: () => number): LogLimit {
  let minute = 0
  let written = 0
  let omitted = 0
  return {
    take() {
      const current = Math.floor(now() / MINUTE_MS)
      if (current !== minute) [minute, written] = [current, 0]
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
