import { setImmediate as turn } from "node:timers/promises"
import { distanceOf } from "../../support/answer-times.js"

const work = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it("distanceOf finds a difference of 0.2 ms between two kinds of request that share a process", async () => {
  const ask = async (kind: string) => {
    await turn()
    work(kind === "known" ? 0.4 : 0.2)
    await turn()
  }
  expect(await distanceOf({ ask, kinds: ["known", "unknown"], requests: 50, enough: 0.5 })).toBeGreaterThan(0.5)
})
