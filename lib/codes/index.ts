/**
 * Every code that a message can have, with what there is to say of it: the one table behind the pages under
 * `docs/errors/`, `npx latchkey explain` and the error page in development.
 *
 * At run time it is loaded when somebody asks; the codes themselves are a type.
 *
 * @module
 */
import { ADDRESSES } from "./addresses.js"
import { ADOPTION } from "./adoption.js"
import { APPLICATION } from "./application.js"
import { CONFIGURATION } from "./configuration.js"
import { DOCTOR_APPLICATION } from "./doctor-application.js"
import { DOCTOR_SITE } from "./doctor-site.js"
import { PROVIDER_ANSWERS } from "./provider-answers.js"
import { PROVIDER_OPTIONS } from "./provider-options.js"
import { REQUESTS } from "./requests.js"
import type { CodeRow } from "./row.js"

/** The rows by their subject, in the order in which people meet them. */
export const SUBJECTS = {
  "The configuration": CONFIGURATION,
  "The site's address": ADDRESSES,
  "Providers in the configuration": PROVIDER_OPTIONS,
  "People and requests": REQUESTS,
  "What providers answer": PROVIDER_ANSWERS,
  "Your own code and your store": APPLICATION,
  "Sessions of another library": ADOPTION,
  "What the doctor finds in an application": DOCTOR_APPLICATION,
  "What the doctor finds outside": DOCTOR_SITE,
} as const

/** A stable name for one thing that can be the matter: `redirect-uri-mismatch`. */
export type MessageCode = {
  [Subject in keyof typeof SUBJECTS]: keyof (typeof SUBJECTS)[Subject]
}[keyof typeof SUBJECTS]

/** All rows by their codes. */
export const CODES: Readonly<Record<MessageCode, CodeRow>> = {
  ...CONFIGURATION,
  ...ADDRESSES,
  ...PROVIDER_OPTIONS,
  ...REQUESTS,
  ...PROVIDER_ANSWERS,
  ...APPLICATION,
  ...ADOPTION,
  ...DOCTOR_APPLICATION,
  ...DOCTOR_SITE,
}
