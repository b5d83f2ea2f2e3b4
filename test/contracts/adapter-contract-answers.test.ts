import { AssertionError } from "node:assert"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { PROMISES } from "../../lib/adapters/testing/case.js"
import { type AdapterCase, type AdapterPromise, adapterCases } from "../../lib/adapters/testing.js"
import { type Answer, heardAdapter, type Listener, RANDOM, wrongAnswers } from "./support/answers.js"
import { brokenAdapter } from "./support/broken/mistake.js"

/** The cases, each on an adapter of its own. */
const casesOn = (create: () => Adapter): readonly AdapterCase[] =>
  adapterCases({ create: () => ({ adapter: create() }), complete: true, passkeys: true })

const NAMES = casesOn(() => ({})).map(({ name }) => name)

/** What a case says of the adapter; undefined when it passes, or when what fails is not the contract's own sentence. */
async function verdictOf(name: string, hear: Listener): Promise<string | undefined> {
  const found = casesOn(() => heardAdapter(hear)).find((one) => one.name === name)
  try {
    await found?.run()
  } catch (error) {
    if (error instanceof AssertionError) return shapeOf(error.message.split("\n")[0] ?? "")
  }
  return undefined
}

/** What a case asks of a good adapter, question by question. */
async function questionsOf(name: string): Promise<(readonly [question: string, answer: Answer])[]> {
  const questions: (readonly [string, Answer])[] = []
  await verdictOf(name, (question, answer) => {
    questions.push([question, answer])
    return answer
  })
  return questions
}

/** What a case says when one of its questions is answered wrongly: in which respects, by what it says of them. */
async function verdictsOn(name: string, at: number, answer: Answer): Promise<string[]> {
  const verdicts = new Map<string, string[]>()
  for (const respect of Object.keys(wrongAnswers(answer))) {
    let asked = 0
    const spoil = (right: Answer) => wrongAnswers(right)[respect] ?? right
    const verdict = await verdictOf(name, (_, right) => (asked++ === at ? spoil(right) : right))
    if (verdict !== undefined) verdicts.set(verdict, [...(verdicts.get(verdict) ?? []), respect])
  }
  return [...verdicts].map(([verdict, respects]) => `  ${respects.join(", ")}: ${verdict}`)
}

/** The same for whatever was made at random. */
const shapeOf = (text: string): string => text.replace(RANDOM, "…").replace(/‹\d+›|(?<='Ada )\d+/g, "…")

const outcomeOf = (answer: Answer): string => {
  if ("error" in answer) return " is refused"
  if (answer.value === null) return " finds nothing"
  return typeof answer.value === "boolean" ? ` gives ${answer.value}` : ""
}

/** What is asked many times at once is spoiled as many times. */
const MOST_OF_A_SHAPE = 4

/** Each question of a case, and beneath it what is said of wrong answers. */
async function reportOf(name: string): Promise<string> {
  const lines: string[] = []
  const shapes: string[] = []
  for (const [at, [question, answer]] of (await questionsOf(name)).entries()) {
    const shape = shapeOf(question) + outcomeOf(answer)
    shapes.push(shape)
    if (shapes.filter((one) => one === shape).length > MOST_OF_A_SHAPE) continue
    lines.push(question + outcomeOf(answer), ...(await verdictsOn(name, at, answer)))
  }
  return lines.join("\n")
}

/** A good adapter without one method, within its transactions too. */
const adapterWithout = (method: string): Adapter =>
  brokenAdapter({ mistake: "", foundBy: [], change: () => ({ [method]: undefined }) }).adapter

/** The methods that a case calls. */
const methodsOf = async (name: string): Promise<readonly string[]> => [
  ...new Set((await questionsOf(name)).map(([question]) => question.slice(0, question.indexOf("(")))),
]

describe("the adapter contract", () => {
  beforeEach(() => {
    const timers = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval"] as const
    const now = new Date("2026-03-01T12:00:00.250Z")
    jest.useFakeTimers({ now, doNotFake: [...timers, "clearImmediate", "nextTick", "queueMicrotask"] })
  })
  afterEach(() => jest.useRealTimers())

  it.each(NAMES)("says of each answer what is wrong with it: %s", async (name) => {
    expect(await reportOf(name)).toMatchSnapshot()
  })

  it.each(Object.keys(PROMISES) as AdapterPromise[])("leaves out what belongs to one part: %s", (promise) => {
    const left = adapterCases({ create: () => ({ adapter: {} }), without: [promise] }).map(({ name }) => name)
    expect(NAMES.filter((name) => !name.startsWith("has ") && !left.includes(name))).toMatchSnapshot()
  })

  it.each(NAMES)("passes over a case whose methods are not all there: %s", async (name) => {
    for (const method of await methodsOf(name)) {
      const cases = adapterCases({ create: () => ({ adapter: adapterWithout(method) }) })
      await cases.find((one) => one.name === name)?.run()
    }
  })
})
