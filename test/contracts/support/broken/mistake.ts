import type { Adapter, AdapterMethod, OwnAdapter } from "../../../../lib/adapters/adapter.js"
import { ADAPTER_METHODS } from "../../../../lib/adapters/bind.js"
import { MemoryAdapter } from "../../../../lib/adapters/memory.js"
import type { AdapterFixture, AdapterGuarantee } from "../../../../lib/adapters/testing.js"

export type Methods = Required<Adapter>
export type AnyMethod = (...args: unknown[]) => unknown

/** What an adapter may do wrong. */
export interface Mistake {
  readonly mistake: string
  /** The part of the contract that it breaks; none when it breaks what every adapter does. */
  readonly promise?: AdapterGuarantee
  /** Cases that find it. */
  readonly foundBy: readonly string[]
  /** The methods that are otherwise than those of the good adapter that it gets. */
  change(good: Methods): object
  /** What stands in the store besides. */
  dump?(): string
}

/** A good adapter with one mistake, within its transactions too. */
export function brokenAdapter(mistake: Mistake): AdapterFixture {
  const spoil = (good: Methods): Methods => ({
    ...good,
    // A transaction's adapter has all methods, too.
    transaction: (work) => good.transaction((within) => work(spoil(within as Methods))),
    ...mistake.change(good),
  })
  const good: OwnAdapter = MemoryAdapter()
  const { dump } = mistake
  const emails: string[] = []
  const createUser: Methods["createUser"] = async (user) => {
    const created = await good.createUser(user)
    emails.push(created.email)
    return created
  }
  return { adapter: spoil({ ...good, createUser }), ...(dump && { dump: () => emails.join() + dump() }) }
}

export const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A copy of a record, each member as another; a member that becomes undefined is gone. */
export const mapped = (record: object, map: (name: string, value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]))

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null

/** Methods that give every record as another. */
export function givingOthers(good: Methods, alter: (record: object) => unknown): object {
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

/** Methods that get every argument as another. */
export const gettingOthers = (good: Methods, alter: (arg: unknown) => unknown): object =>
  everyMethod(
    good,
    (method) =>
      (...args) =>
        method(...args.map(alter)),
  )

function everyMethod(good: Methods, wrap: (method: AnyMethod) => AnyMethod): object {
  // The wrapped one is called as the method is, so it may be taken for it.
  return Object.fromEntries(ADAPTER_METHODS.map((name) => [name, wrap(good[name] as AnyMethod)]))
}

/** Members that are looked for. */
const KEYS = ["email", "identifier", "token", "provider", "providerAccountId", "sessionToken"]

/** Methods that take texts for the same which become the same by `fold`. */
export const comparing = (good: Methods, fold: (text: string) => string): object =>
  gettingOthers(good, (arg) => {
    if (typeof arg === "string") return fold(arg)
    if (!isRecord(arg)) return arg
    return mapped(arg, (name, value) => (KEYS.includes(name) && typeof value === "string" ? fold(value) : value))
  })

/** Methods that refuse records with certain members. */
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
