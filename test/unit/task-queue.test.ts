import { createTaskQueue } from "../../lib/base/task-queue.js"

describe("a task queue", () => {
  /** A queue of ten tasks, of which two run at once, and each ends on demand. */
  function startTasks() {
    const queue = createTaskQueue(2)
    const ends: (() => void)[] = []
    const results = Array.from({ length: 10 }, (_, index) =>
      queue(async () => {
        await new Promise<void>((resolve) => ends.push(resolve))
        if (index % 2 === 1) throw new Error(`task ${index}`)
        return index
      }),
    )
    return { queue, ends, results: Promise.allSettled(results) }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it("runs at most the given number of tasks at once, in order, and passes on their results", async () => {
    const { ends, results } = startTasks()
    for (let ended = 0; ended < 10; ended++) {
      await turn()
      expect(ends).toHaveLength(Math.min(ended + 2, 10))
      ends[ended]?.()
    }
    const settled = await results
    expect(settled.map((one) => (one.status === "fulfilled" ? one.value : one.reason.message))).toEqual(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 1 ? `task ${index}` : index)),
    )
  })

  it("runs further tasks after all have ended", async () => {
    const { queue, ends, results } = startTasks()
    while (ends.length < 10) {
      for (const end of ends) end()
      await turn()
    }
    for (const end of ends) end()
    await results
    expect(await Promise.all([queue(async () => "a"), queue(async () => "b"), queue(async () => "c")])).toEqual([
      ...["a", "b", "c"],
    ])
  })
})
