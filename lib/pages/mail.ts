/**
 * Renders emails. The subject, the plain text and the HTML each have their own template.
 *
 * @module
 */
import type { Theme } from "../base/types.js"
import type { SignInMail } from "../provider-kit/provider.js"
import { formatUnits } from "./locale.js"
import type { MailProps, SignInMailProps } from "./props.js"
import { createTemplates, createViewResolver } from "./templates.js"
import type { Language } from "./texts.js"
import { mailColors } from "./theme.js"

/** The options of `createEmails`. */
export interface EmailsConfig {
  /** The site's name, the colours of the button, and the colour scheme. */
  readonly theme?: Readonly<Theme> | undefined
  /**
   * A folder whose files `mail/*.ejs` replace the built-in templates. A relative path starts at the working directory.
   */
  readonly views?: string | undefined
}

/** The data of an email with a sign-in link. */
export interface SignInMailFacts extends Pick<SignInMailProps, "url" | "host" | "expires" | "maxAgeSeconds" | "code"> {
  readonly codeMaxAgeSeconds: number
}

/** Renders the emails of one configuration. */
export interface Emails {
  /**
   * Renders the email with a sign-in link in a language.
   *
   * @throws Error with file and line if a template of the application fails
   */
  signIn(facts: SignInMailFacts, language: Language): SignInMail
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

/** Formats a duration in the largest unit that fits at least twice, rounded down: "24 hours" instead of "1 day". */
function durationText(seconds: number, lang: string): string {
  const [unit, unitSeconds] = UNITS.find((candidate) => seconds >= 2 * candidate[1]) ?? ["second", 1]
  return formatUnits(Math.floor(seconds / unitSeconds), unit, lang)
}

/** Inserts a zero-width space before each dot, because email clients convert host names in a text to links. */
const toUnlinkedText = (text: string): string => text.replaceAll(".", "\u200B.")

function signInMailProps(facts: SignInMailFacts, language: Language, theme: Readonly<Theme>): SignInMailProps {
  const { url, host, expires, maxAgeSeconds, code, codeMaxAgeSeconds } = facts
  const siteName = theme.siteName ?? host
  return {
    ...language,
    url,
    host,
    hostText: toUnlinkedText(host),
    siteName,
    siteNameText: toUnlinkedText(siteName),
    expires,
    maxAgeSeconds,
    maxAgeText: durationText(maxAgeSeconds, language.lang),
    code,
    codeMaxAgeText: durationText(codeMaxAgeSeconds, language.lang),
    colorScheme: theme.colorScheme ?? "auto",
    ...mailColors(theme),
  }
}

/**
 * Replaces line breaks and other control characters by spaces. In a subject, a line break would start another header of
 * the email (CWE-93).
 */
const toOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim()

/**
 * Creates a renderer of emails with the application's theme and templates. Each template is compiled at its first use
 * and then cached.
 *
 * @example
 * const { subject, text, html } = createEmails({ views: "./auth-views" }).signIn(facts, language)
 */
export function createEmails({ theme = {}, views }: EmailsConfig): Emails {
  let render: ReturnType<typeof createTemplates> | undefined
  function renderMail<N extends keyof MailProps>(name: N, props: MailProps[N]): SignInMail {
    render ??= createTemplates(createViewResolver(views))
    return {
      subject: toOneLine(render(`mail/${name}.subject`, props)),
      text: render(`mail/${name}.text`, props),
      html: render(`mail/${name}.html`, props),
    }
  }
  return { signIn: (facts, language) => renderMail("sign-in", signInMailProps(facts, language, theme)) }
}
