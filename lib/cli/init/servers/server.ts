import type { Dialect, Import } from "../source.js"

/** The parts of an application that depend on the framework. */
export interface Server {
  /** Imports for `create` and `listen`. */
  readonly imports: readonly Import[]
  /** Imports for `mount` and `routes`, besides `names` from this package. */
  readonly mountImports: readonly Import[]
  readonly names: readonly string[]
  readonly create: string
  /** The code that an existing application needs too. */
  readonly mount: string
  /** A route that shows the current user, and one that requires a sign-in. */
  readonly routes: string
  /** An expression that starts the server. */
  readonly listen: string
}

/** Returns the parts for one language. */
export type ServerFor = (dialect: Dialect) => Server

export const SAY_WHERE = `() => console.log(\`http://localhost:\${port}\`)`
