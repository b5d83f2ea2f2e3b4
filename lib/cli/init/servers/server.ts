import type { Dialect, Import } from "../source.js"

/** What an application of a framework is made of; the rest is the same for all. */
export interface Server {
  /** For `create` and `listen`. */
  readonly imports: readonly Import[]
  /** For `mount` and `routes`, beside what `names` takes of our package. */
  readonly mountImports: readonly Import[]
  readonly names: readonly string[]
  readonly create: string
  /** What an application that is there needs too. */
  readonly mount: string
  /** An address that says who is signed in, and one that asks for it. */
  readonly routes: string
  /** An expression. */
  readonly listen: string
}

/** Gives the application of a framework in one of the languages. */
export type ServerFor = (dialect: Dialect) => Server

export const SAY_WHERE = `() => console.log(\`http://localhost:\${port}\`)`
