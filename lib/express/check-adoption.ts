import { types } from "node:util"
import { type ConfigProblem, configProblem } from "../errors.js"
import type { Runtime } from "../runtime.js"
import type { AdoptSessionOptions } from "./adopt-session.js"

const YEAR_MS = 366 * 24 * 60 * 60 * 1000

const problem = (option: keyof AdoptSessionOptions, message: string) =>
  configProblem("adoption-invalid", `adoptSession.${option}`, message)

/** What is wrong with the options of `adoptSession`. */
export const adoptionProblems = (options: AdoptSessionOptions, runtime: Runtime): ConfigProblem[] => [
  ...cookieProblems(options, runtime),
  ...untilProblems(options, runtime),
  ...(typeof options.read === "function"
    ? []
    : [problem("read", "is missing. Write a function that says whose the old session is: read: async (req) => …")]),
]

function cookieProblems({ cookie }: AdoptSessionOptions, { cookieSetFor }: Runtime): ConfigProblem[] {
  const names: unknown[] = [cookie].flat()
  if (names.length === 0 || !names.every((name) => typeof name === "string" && name !== ""))
    return [problem("cookie", `is ${JSON.stringify(cookie)}. Write the old cookie's name: cookie: "connect.sid"`)]
  const own = ["http:", "https:"]
    .map(cookieSetFor)
    .flatMap(({ sessionToken, formerSessionToken }) => [sessionToken.name, formerSessionToken.name])
  return names
    .filter((name) => typeof name === "string" && own.includes(name))
    .map((name) =>
      problem(
        "cookie",
        `is "${name}", the name of this configuration's own session cookie. Sessions of Auth.js go on without adoptSession; for another library's give this one its own name in cookies.sessionToken.name`,
      ),
    )
}

function untilProblems({ until }: AdoptSessionOptions, { now }: Runtime): ConfigProblem[] {
  const isDate = types.isDate(until) && !Number.isNaN(until.getTime())
  const tomorrow = new Date(now() + 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const line = `Write the day on which the last old session has ended: until: new Date("${tomorrow}")`
  if (!isDate) return [problem("until", `is ${until === undefined ? "missing" : JSON.stringify(until)}. ${line}`)]
  if (until.getTime() - now() <= YEAR_MS) return []
  const seen = `is ${until.toISOString()}, more than a year ahead`
  return [problem("until", `${seen}: so long a copy of an old cookie would open a session. ${line}`)]
}
