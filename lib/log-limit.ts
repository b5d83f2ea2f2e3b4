/** Records of one kind that a minute may bring: strangers must not be able to fill the log. */
const RECORDS_PER_MINUTE = 10
const MINUTE_MS = 60_000

/** Bounds how often one thing is logged, and counts what it leaves out. */
export interface LogLimit {
  /** How many records were left out since the last one; undefined when this one is to be left out too. */
  take(): number | undefined
}

export function createLogLimit(now: () => number): LogLimit {
  let minute = 0
  let written = 0
  let leftOut = 0
  return {
    take() {
      const current = Math.floor(now() / MINUTE_MS)
      if (current !== minute) [minute, written] = [current, 0]
      if (written >= RECORDS_PER_MINUTE) {
        leftOut++
        return undefined
      }
      const since = leftOut
      written++
      leftOut = 0
      return since
    },
  }
}
