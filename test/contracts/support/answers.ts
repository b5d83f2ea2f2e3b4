import { inspect } from "node:util"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { ADAPTER_METHODS } from "../../../lib/adapters/bind.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import type { AnyMethod, Methods } from "./broken/mistake.js"

/** What came of a call: what it gave, or what it threw. */
export type Answer = { readonly value: unknown } | { readonly error: unknown }

/** Hears each question and its answer, and gives the answer that is told instead. */
export type Listener = (question: string, answer: Answer) => Answer

/** What is made at random: ids, tokens and keys. */
export const RANDOM = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,33}|[A-Za-z\d+/]{43,}=/gi

/** Says what an adapter is asked, and names what is random in the order in which it comes: ‹1›, ‹2›. */
function makeTeller(): (name: string, args: readonly unknown[]) => string {
  const known: string[] = []
  const nameOf = (random: string) => {
    if (!known.includes(random)) known.push(random)
    return `‹${known.indexOf(random) + 1}›`
  }
  const show = (arg: unknown) =>
    typeof arg === "function" ? "work" : inspect(arg, { breakLength: Number.POSITIVE_INFINITY, maxStringLength: 110 })
  return (name, args) => `${name}(${args.map(show).join(", ").replace(RANDOM, nameOf)})`
}

/** A good adapter whose every answer passes a listener, within its transactions too. */
export function heardAdapter(hear: Listener): Adapter {
  const tell = makeTeller()
  const heard =
    (name: string, method: AnyMethod) =>
    async (...args: unknown[]) => {
      const question = tell(name, args)
      const answer = hear(question, await answerOf(() => method(...args)))
      if ("error" in answer) throw answer.error
      return answer.value
    }
  const wrap = (good: Methods): Adapter => ({
    // What is heard is called as the method is, so it may be taken for it.
    ...Object.fromEntries(ADAPTER_METHODS.map((name) => [name, heard(name, good[name] as AnyMethod)])),
    transaction: heard("transaction", (work) =>
      good.transaction((within) => (work as (adapter: Adapter) => Promise<unknown>)(wrap(within as Methods))),
    ) as Methods["transaction"],
  })
  return wrap(MemoryAdapter())
}

async function answerOf(call: () => unknown): Promise<Answer> {
  try {
    return { value: await call() }
  } catch (error) {
    return { error }
  }
}

/** All that may be wrong about an answer, by the name of the respect. */
export function wrongAnswers(answer: Answer): Readonly<Record<string, Answer>> {
  const error = new Error("the connection was lost")
  if ("error" in answer) return { "no error": { value: {} }, "another error": { error } }
  const wrong = othersThan(answer.value).map(([respect, value]) => [respect, { value }] as const)
  return { "an error": { error }, ...Object.fromEntries(wrong) }
}

type Other = readonly [respect: string, value: unknown]

function othersThan(value: unknown): Other[] {
  if (value === undefined || value === null) return [["something", {}]]
  if (Array.isArray(value)) return othersOfList(value)
  if (typeof value === "object") return [["nothing", null], ...othersOfRecord(value)]
  return [["another", another(value)]]
}

const othersOfList = (list: readonly unknown[]): Other[] => [
  ["one more", [...list, {}]],
  ...list.slice(0, 1).map((): Other => ["one less", list.slice(1)]),
  ...list.flatMap((item, at) =>
    othersOfRecord(Object(item)).map(([respect, other]): Other => [`${respect} of one`, list.with(at, other)]),
  ),
]

const NO_IDS = { "no id": undefined, "null as id": null, "empty id": "", "a number as id": 7 }

/** The record with one member otherwise, for each of them; of a session and its user both. */
const othersOfRecord = (record: object): Other[] =>
  Object.entries(record).flatMap(([name, member]: [string, unknown]): Other[] => {
    const replace = ([respect, other]: Other): Other => [respect, { ...record, [name]: other }]
    if (typeof member === "object" && (name === "session" || name === "user"))
      return othersOfRecord(Object(member)).map(([respect, other]) => replace([`${respect} of the ${name}`, other]))
    const missing = name === "id" ? Object.entries(NO_IDS) : []
    return [[`another ${name}`, another(member)] as const, ...missing].map(replace)
  })

function another(value: unknown): unknown {
  if (value instanceof Date) return new Date(value.getTime() + 1)
  if (typeof value === "number") return value + 1
  if (typeof value === "boolean") return !value
  return `${String(value)}!`
}
