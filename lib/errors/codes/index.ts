/**
 * Every code that a message can have, with its explanation. The pages under `docs/errors/`, `npx latchkey explain` and
 * the error page in development use this table.
 *
 * The table is loaded only when an explanation is shown; elsewhere the codes are only a type.
 *
 * @module
 */
import { ADDRESSES } from "./addresses.js"
import { APPLICATION } from "./application.js"
import { CONFIGURATION } from "./configuration.js"
import type { CodeRow } from "./define-codes.js"
import { DOCTOR_APPLICATION } from "./doctor-application.js"
import { DOCTOR_SITE } from "./doctor-site.js"
import { MIGRATION } from "./migration.js"
import { PROVIDER_ANSWERS } from "./provider-answers.js"
import { PROVIDER_OPTIONS } from "./provider-options.js"
import { REQUESTS } from "./requests.js"

/** The rows by subject, in the order in which developers meet them. */
export const SUBJECTS = {
  Configuration: CONFIGURATION,
  "The site's address": ADDRESSES,
  "Providers in the configuration": PROVIDER_OPTIONS,
  "Users and requests": REQUESTS,
  "Responses of providers": PROVIDER_ANSWERS,
  "Your code and your database": APPLICATION,
  "Sessions of another library": MIGRATION,
  "Findings of the doctor in an application": DOCTOR_APPLICATION,
  "Findings of the doctor outside the application": DOCTOR_SITE,
} as const

/** The stable name of one problem: `redirect-uri-mismatch`. */
export type MessageCode = {
  [Subject in keyof typeof SUBJECTS]: keyof (typeof SUBJECTS)[Subject]
}[keyof typeof SUBJECTS]

/** All rows by code. */
export const CODES: Readonly<Record<MessageCode, CodeRow>> = {
  ...CONFIGURATION,
  ...ADDRESSES,
  ...PROVIDER_OPTIONS,
  ...REQUESTS,
  ...PROVIDER_ANSWERS,
  ...APPLICATION,
  ...MIGRATION,
  ...DOCTOR_APPLICATION,
  ...DOCTOR_SITE,
}
