import type { ConfigWarning } from "../../config/finding.js"
import type { ResolvedConfig } from "../../config/resolve.js"
import type { ConfigProblem } from "../../errors.js"
import type { ProviderObject } from "../../providers/provider.js"
import type { Runtime } from "../../runtime.js"
import type { AuthConfig } from "../../types.js"
import type { Found } from "./site.js"

export interface DoctorOptions {
  /** Calls nobody over the network but the store. */
  readonly isOffline: boolean
  /** Where the application runs. */
  readonly url?: string
  /** Writes one row into the store, and deletes it. */
  readonly mayWrite?: boolean
}

/** A configuration, and everything about it that the checks look at. */
export interface Examined {
  readonly config: AuthConfig
  readonly runtime: Runtime
  readonly resolved: ResolvedConfig
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigWarning[]
  readonly providers: readonly ProviderObject[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly options: DoctorOptions
  /** The folder of the project, whose packages are looked at. */
  readonly folder: string
  /** Writes of the application's start that were not made. */
  readonly withheld: ReadonlySet<string>
  /** Where people sign in, as far as it is known: `https://example.com/auth`. */
  readonly base: string
  /** Where the application's own server, asked while it is examined, has the sign-in; undefined without a server. */
  readonly mounted: Found | undefined
}
