import { setImmediate as turn } from "node:timers/promises"
import { distanceOf } from "../../support/answer-times.js"

const work = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it("the time of an answer tells of work that one kind alone costs, though others wait for the same process", async () => {
  const ask = async (kind: string) => {
    await turn()
    work(kind === "known" ? 0.4 : 0.2)
    await turn()
  }
  expect(await distanceOf({ ask, kinds: ["known", "unknown"], requests: 50, enough: 0.5 })).toBeGreaterThan(0.5)
})
