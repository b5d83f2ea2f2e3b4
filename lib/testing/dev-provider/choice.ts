import { isPlainObject } from "../../base/merge.js"
import { asError } from "../../errors/errors.js"
import { isMode } from "./mode.js"
import { Refusal } from "./refusal.js"
import { type DevAnswer, param } from "./state.js"
import { type DevUser, findUserSub } from "./users.js"

/** The submitted form with a user's claims. */
export interface ClaimsForm {
  /** Empty for a new user. */
  readonly sub: string
  readonly name: string
  readonly email: string
  readonly isVerified: boolean
  /** All other claims, as JSON. */
  readonly more: string
}

/** A submitted form that is invalid. */
export interface InvalidForm {
  /** The error message for the visitor. */
  readonly message: string
  readonly form: ClaimsForm
}

/**
 * What the visitor has submitted on the page: an answer, with the user's claims if they were edited, or an invalid
 * form.
 */
export type Choice =
  | { readonly answer: DevAnswer; readonly edited?: { readonly sub: string; readonly claims: DevUser } }
  | InvalidForm

/** Converts a user's claims to form values. */
export function toForm(sub: string, { name, email, email_verified, ...more }: DevUser): ClaimsForm {
  return {
    sub,
    name: name ?? "",
    email: email ?? "",
    isVerified: email_verified === true,
    more: Object.keys(more).length > 0 ? JSON.stringify(more, null, 2) : "",
  }
}

/** Parses the other claims. @throws Error with a message for the visitor */
function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text || "{}")
    if (isPlainObject(value)) return value
  } catch (error) {
    throw new Error(`This is not valid JSON: ${asError(error).message}.`)
  }
  throw new Error('This is JSON, but not an object. Write { "groups": ["staff"] }')
}

function readClaims({ name, email, isVerified, more }: ClaimsForm): DevUser {
  const others = parseObject(more)
  return { ...(name && { name }), ...(email && { email, email_verified: isVerified }), ...others }
}

/**
 * Creates a `sub` from the email address, or from the name if there is no address. "Carol Smith" becomes carol-smith,
 * and a second Carol Smith becomes carol-smith-2.
 */
function createSub({ email, name }: ClaimsForm, users: ReadonlyMap<string, DevUser>): string {
  const [local = ""] = (email || name).split("@")
  const base =
    local
      .toLowerCase()
      .replace(/[^a-z\d]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "user"
  for (let count = 1; ; count++) {
    const sub = count === 1 ? base : `${base}-${count}`
    if (!users.has(sub)) return sub
  }
}

function readClaimsForm(params: URLSearchParams, users: ReadonlyMap<string, DevUser>): Choice {
  const text = (name: string) => params.get(name)?.trim() ?? ""
  const form = {
    ...{ sub: text("sub"), name: text("name"), email: text("email"), more: text("more") },
    isVerified: params.has("email_verified"),
  }
  try {
    const edited = { sub: form.sub || createSub(form, users), claims: readClaims(form) }
    return { answer: { as: edited.sub }, edited }
  } catch (error) {
    return { message: asError(error).message, form }
  }
}

/**
 * Parses a submitted form of the page, which contains a user, a user with new claims, or a mode.
 *
 * @throws Refusal when the form contains a user or a mode that does not exist
 */
export function readChoice(params: URLSearchParams, users: ReadonlyMap<string, DevUser>): Choice {
  if (params.has("more")) return readClaimsForm(params, users)
  const [user, mode] = [param(params, "user"), param(params, "mode")]
  const as = user === undefined ? undefined : findUserSub(users, user)
  if (user !== undefined && as === undefined) throw new Refusal("invalid_request", "this user no longer exists")
  if (mode !== undefined && !isMode(mode)) throw new Refusal("invalid_request", `the mode "${mode}" does not exist`)
  return { answer: { ...(as !== undefined && { as }), ...(mode && { mode }) } }
}
