/**
 * Sets the system clock back by an hour at every read. The monotonic clock advances by `eachReadTakesMs` at every read.
 */
export function setClockBack({ eachReadTakesMs }: { eachReadTakesMs: number }): void {
  let [wall, steady] = [Date.now(), performance.now()]
  jest.spyOn(Date, "now").mockImplementation(() => {
    wall -= 3_600_000
    return wall
  })
  jest.spyOn(performance, "now").mockImplementation(() => {
    steady += eachReadTakesMs
    return steady
  })
}
