import type { Adapter, AdapterMethod, BuiltInAdapter } from "../../../../lib/adapters/adapter.js"
import { ADAPTER_METHODS } from "../../../../lib/adapters/bind.js"
import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import type { AdapterFixture, AdapterGuarantee } from "../../../../lib/adapters/testing.js"

export type Methods = Required<Adapter>
export type AnyMethod = (...args: unknown[]) => unknown

/** A defect of an adapter. */
export interface Defect {
  /** Completes the sentence "finds an adapter that …". */
  readonly name: string
  /** The optional guarantee that it breaks; undefined if it breaks behaviour that is required of every adapter. */
  readonly guarantee?: AdapterGuarantee
  /** The names of the cases that must fail. */
  readonly foundBy: readonly string[]
  /** Returns the defective methods, which call those of the correct adapter. */
  change(good: Methods): object
  /** Additional text for the dump of the store. */
  dump?(): string
}

/** Creates an adapter with one defect, in its transactions too. */
export function brokenAdapter(defect: Defect): AdapterFixture {
  const spoil = (good: Methods): Methods => ({
    ...good,
    // A transaction's adapter has all methods, too.
    transaction: (work) => good.transaction((within) => work(spoil(within as Methods))),
    ...defect.change(good),
  })
  const good: BuiltInAdapter = MemoryAdapter()
  const { dump } = defect
  const emails: string[] = []
  const createUser: Methods["createUser"] = async (user) => {
    const created = await good.createUser(user)
    emails.push(created.email)
    return created
  }
  return { adapter: spoil({ ...good, createUser }), ...(dump && { dump: () => emails.join() + dump() }) }
}

export const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Copies a record with converted members. */
export const mapped = (record: object, map: (name: string, value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]))

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null

/** Methods that return converted records. */
export function withResults(good: Methods, alter: (record: object) => unknown): object {
  const alterAll = (result: unknown): unknown => {
    if (Array.isArray(result)) return result.map(alterAll)
    if (!isRecord(result)) return result
    return "session" in result ? mapped(result, (_, part) => alterAll(part)) : alter(result)
  }
  return everyMethod(
    good,
    (method) =>
      async (...args) =>
        alterAll(await method(...args)),
  )
}

/** Methods that receive converted arguments. */
export const withArguments = (good: Methods, alter: (arg: unknown) => unknown): object =>
  everyMethod(
    good,
    (method) =>
      (...args) =>
        method(...args.map(alter)),
  )

function everyMethod(good: Methods, wrap: (method: AnyMethod) => AnyMethod): object {
  // The cast is safe, because the wrapper passes on all arguments.
  return Object.fromEntries(ADAPTER_METHODS.map((name) => [name, wrap(good[name] as AnyMethod)]))
}

/** The members by which records are found. */
const KEYS = ["email", "identifier", "token", "provider", "providerAccountId", "sessionToken"]

/** Methods that treat two texts as equal if `fold` returns the same text for both. */
export const comparing = (good: Methods, fold: (text: string) => string): object =>
  withArguments(good, (arg) => {
    if (typeof arg === "string") return fold(arg)
    if (!isRecord(arg)) return arg
    return mapped(arg, (name, value) => (KEYS.includes(name) && typeof value === "string" ? fold(value) : value))
  })

/** Methods that reject records with certain members. */
export const refusing = (
  good: Methods,
  names: readonly AdapterMethod[],
  isRefused: (name: string, value: unknown) => boolean,
): object =>
  Object.fromEntries(
    names.map((name) => [
      name,
      async (record: object) => {
        if (Object.entries(record).some(([member, value]) => isRefused(member, value))) throw new Error("refused")
        return (good[name] as AnyMethod)(record)
      },
    ]),
  )
