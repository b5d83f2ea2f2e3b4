/**
 * The machine's clock, set back by an hour at every look; the one that nobody can set goes on by so much each time, so
 * that no test has to wait.
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
