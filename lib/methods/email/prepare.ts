import { describeType } from "../../base/text.js"
import type { ResolvedConfig } from "../../config/resolved-config.js"
import { type ConfigProblem, configProblem, invalidOption } from "../../errors/errors.js"
import type { EmailConfig } from "../../provider-kit/provider.js"
import { mailOptionProblems, rendersCode } from "../../provider-kit/send-mail.js"
import type { ReadyProvider } from "../method.js"
import { mergeOptions } from "../shared/merge-options.js"
import { createTimingEqualizer, type TimingEqualizer } from "./equalize-timing.js"

/** The lifetime of a link. */
const DEFAULT_MAX_AGE_SECONDS = 24 * 60 * 60
/** During a rollout, processes with Auth.js may send links for this long after this process has started. */
const ROLLOUT_SECONDS = 60 * 60
/** The time limit for sending, during which the user waits. */
const DEFAULT_SEND_TIMEOUT_SECONDS = 8
/** Larger values are probably a mistake in the unit, such as milliseconds. */
const MAX_SECONDS = { maxAge: 10 * 365 * 24 * 60 * 60, sendTimeout: 10 * 60 } as const

export interface ReadyEmail extends ReadyProvider {
  readonly type: "email"
  /** The provider with its options merged, as the application's functions receive it. */
  readonly options: Readonly<EmailConfig>
  readonly maxAgeSeconds: number
  readonly sendTimeoutMs: number
  /** True if the email contains a code besides the link. */
  readonly hasCode: boolean
  /** The first secret hashes new links; each may have hashed an existing link. */
  readonly secrets: readonly string[]
  /** The time in milliseconds when the last link with a hash of Auth.js has expired. */
  readonly authjsHashesUntil: number
  readonly timing: TimingEqualizer
}

const isSeconds = (value: unknown, max: number): boolean =>
  value === undefined || (typeof value === "number" && value > 0 && value <= max)

export function check(provider: EmailConfig, path: string): ConfigProblem[] {
  const options = mergeOptions(provider)
  const problems: ConfigProblem[] = []
  if (typeof options.sendVerificationRequest !== "function")
    problems.push(
      configProblem(
        "provider-option-missing",
        `${path}.sendVerificationRequest`,
        "is missing",
        "Use a provider of latchkey/providers, or write { sendVerificationRequest: async ({ identifier, mail }) => … }",
      ),
    )
  // Recoverable, because only email sign-ins fail.
  for (const { option, seen, fix } of mailOptionProblems(provider))
    problems.push({ ...configProblem("provider-option-missing", `${path}.${option}`, seen, fix), isRecoverable: true })
  for (const name of ["maxAge", "sendTimeout"] as const)
    if (!isSeconds(options[name], MAX_SECONDS[name]))
      problems.push(
        invalidOption(
          `${path}.${name}`,
          `is ${String(options[name])}`,
          `Write seconds above 0, and at most ${MAX_SECONDS[name]}`,
        ),
      )
  // Without TypeScript it can be any value.
  const emailCode: unknown = options.emailCode
  if (emailCode !== undefined && typeof emailCode !== "boolean")
    problems.push(invalidOption(`${path}.emailCode`, `is ${describeType(emailCode)}`, "Write true or false"))
  return problems
}

export function prepare(provider: EmailConfig, config: ResolvedConfig): ReadyEmail {
  const options = Object.freeze(mergeOptions(provider))
  const { id, name, secret, maxAge, sendTimeout, emailCode } = options
  // Cookies need whole seconds, timers whole milliseconds.
  const maxAgeSeconds = Math.ceil(maxAge ?? DEFAULT_MAX_AGE_SECONDS)
  return {
    id,
    name,
    type: "email",
    options,
    maxAgeSeconds,
    sendTimeoutMs: Math.ceil((sendTimeout ?? DEFAULT_SEND_TIMEOUT_SECONDS) * 1000),
    hasCode: emailCode ?? rendersCode(options),
    secrets: secret ? [secret] : config.secrets,
    authjsHashesUntil: config.clock() + (maxAgeSeconds + ROLLOUT_SECONDS) * 1000,
    timing: createTimingEqualizer(),
  }
}
