import type { ResolvedConfig } from "../../config/resolve.js"
import type { ConfigProblem } from "../../errors/errors.js"
import type { ProviderObject } from "../../provider-kit/provider.js"
import type { Runtime } from "../../runtime/runtime.js"
import type { AuthConfig } from "../../types.js"
import type { SignInSearch } from "./site.js"

export interface DoctorOptions {
  /** True to make no network calls, except to the database. */
  readonly isOffline: boolean
  /** The address of the running application. */
  readonly url?: string
  /** True to write one row to the database and delete it. */
  readonly mayWrite?: boolean
}

/** A configuration, and the data that the checks need. */
export interface DoctorContext {
  readonly config: AuthConfig
  readonly runtime: Runtime
  readonly resolved: ResolvedConfig
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
  readonly providers: readonly ProviderObject[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly options: DoctorOptions
  /** The folder of the project, whose packages are checked. */
  readonly folder: string
  /** Writes of the application's start that were suppressed. */
  readonly suppressedWrites: ReadonlySet<string>
  /** The address of the sign-in, as far as it is known: `https://example.com/auth`. */
  readonly base: string
  /** The response of the application's own server in the child process; undefined without a server. */
  readonly mounted: SignInSearch | undefined
}
