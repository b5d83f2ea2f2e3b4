import type { ResolvedConfig } from "../../config/resolve.js"
import { type ConfigProblem, configProblem } from "../../errors.js"
import { defined } from "../../merge.js"
import type { EmailConfig } from "../../providers/provider.js"
import { mailOptionProblems } from "../../providers/send-mail.js"
import type { ReadyProvider } from "../method.js"
import { createPace, type Pace } from "./pace.js"

/** Seconds that a link is good for. */
const DEFAULT_MAX_AGE_SECONDS = 24 * 60 * 60
/** Seconds for which an older version, or Auth.js, may go on sending links while this process has started already. */
const ROLLOUT_SECONDS = 60 * 60
/** Seconds that sending may take: a person waits for it. */
const DEFAULT_SEND_TIMEOUT_SECONDS = 8
/** Longer is a slip, milliseconds for instance. */
const MAX_SECONDS = { maxAge: 10 * 365 * 24 * 60 * 60, sendTimeout: 10 * 60 } as const

export interface ReadyEmail extends ReadyProvider {
  readonly type: "email"
  /** The application's object with its options merged over it, as its own functions get it. */
  readonly options: Readonly<EmailConfig>
  readonly maxAgeSeconds: number
  readonly sendTimeoutMs: number
  /** The first one hashes new links, each may have hashed an old one. */
  readonly secrets: readonly string[]
  /** When the last link has expired, in milliseconds, that another process can have stored as Auth.js hashes it. */
  readonly authjsHashesUntil: number
  readonly pace: Pace
}

const merged = (provider: EmailConfig): EmailConfig => ({ ...provider, ...defined(provider.options) })

const isSeconds = (value: unknown, max: number): boolean =>
  value === undefined || (typeof value === "number" && value > 0 && value <= max)

export function check(provider: EmailConfig, path: string): ConfigProblem[] {
  const options = merged(provider)
  const problems: ConfigProblem[] = []
  if (typeof options.sendVerificationRequest !== "function")
    problems.push(
      configProblem(
        "mail-sender-missing",
        `${path}.sendVerificationRequest`,
        "is missing. Use a provider of latchkey/providers, or write { sendVerificationRequest: async ({ identifier, mail }) => … }",
      ),
    )
  // Told at start-up; whoever goes on all the same fails with the first mail.
  for (const { option, message } of mailOptionProblems(provider))
    problems.push({ ...configProblem("mail-option-missing", `${path}.${option}`, message), isServable: true })
  for (const name of ["maxAge", "sendTimeout"] as const)
    if (!isSeconds(options[name], MAX_SECONDS[name]))
      problems.push(
        configProblem(
          "number-out-of-range",
          `${path}.${name}`,
          `is ${String(options[name])}. Write seconds above 0, and at most ${MAX_SECONDS[name]}`,
        ),
      )
  return problems
}

export function prepare(provider: EmailConfig, config: ResolvedConfig): ReadyEmail {
  const options = Object.freeze(merged(provider))
  const { id, name, secret, maxAge, sendTimeout } = options
  // Cookies count in whole seconds, timers in whole milliseconds.
  const maxAgeSeconds = Math.ceil(maxAge ?? DEFAULT_MAX_AGE_SECONDS)
  return {
    id,
    name,
    type: "email",
    options,
    maxAgeSeconds,
    sendTimeoutMs: Math.ceil((sendTimeout ?? DEFAULT_SEND_TIMEOUT_SECONDS) * 1000),
    secrets: secret ? [secret] : config.secrets,
    authjsHashesUntil: config.clock() + (maxAgeSeconds + ROLLOUT_SECONDS) * 1000,
    pace: createPace(),
  }
}
