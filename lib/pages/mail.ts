/**
 * The mails, as text: subject, plain text and HTML, each from a template of its own.
 *
 * @module
 */
import type { SignInMail } from "../providers/provider.js"
import type { Theme } from "../types.js"
import type { MailProps, SignInMailProps } from "./props.js"
import { createFinder, createTemplates } from "./templates.js"
import type { Language } from "./texts.js"
import { mailColors } from "./theme.js"

export interface MailsConfig {
  /** Colours of the button. */
  readonly theme?: Readonly<Theme> | undefined
  /** A folder whose `mail/*.ejs` replace the built-in templates file by file; relative to the working directory. */
  readonly views?: string | undefined
}

/** What a mail with a sign-in link has to tell. */
export type SignInMailFacts = Pick<SignInMailProps, "url" | "host" | "expires" | "maxAgeSeconds">

/** The mails of one configuration. */
export interface Mails {
  /**
   * Writes the mail with a sign-in link, in that language.
   *
   * @throws an Error that names file and line, when a template of the application fails
   */
  signIn(facts: SignInMailFacts, language: Language): SignInMail
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

/** "24 hours" rather than "1 day", and never more than it is. */
function durationText(seconds: number, lang: string): string {
  const [unit, length] = UNITS.find((candidate) => seconds >= 2 * candidate[1]) ?? ["second", 1]
  const format = new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "long" })
  return format.format(Math.floor(seconds / length))
}

function signInProps(facts: SignInMailFacts, language: Language, theme: Readonly<Theme>): SignInMailProps {
  const { url, host, expires, maxAgeSeconds } = facts
  return {
    ...language,
    url,
    host,
    hostText: host.replaceAll(".", "\u200B."),
    expires,
    maxAgeSeconds,
    maxAgeText: durationText(maxAgeSeconds, language.lang),
    colorScheme: theme.colorScheme ?? "auto",
    ...mailColors(theme),
  }
}

/** A line break in a subject would begin another header (CWE-93). */
const toOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim()

/**
 * The mails with the application's theme and templates. Templates are read and compiled with the first mail and kept.
 *
 * @example
 * const { subject, text, html } = createMails({ views: "./auth-views" }).signIn(facts, language)
 */
export function createMails({ theme = {}, views }: MailsConfig): Mails {
  let render: ReturnType<typeof createTemplates> | undefined
  function write<N extends keyof MailProps>(name: N, props: MailProps[N]): SignInMail {
    render ??= createTemplates(createFinder(views))
    return {
      subject: toOneLine(render(`mail/${name}.subject`, props)),
      text: render(`mail/${name}.text`, props),
      html: render(`mail/${name}.html`, props),
    }
  }
  return { signIn: (facts, language) => write("sign-in", signInProps(facts, language, theme)) }
}
