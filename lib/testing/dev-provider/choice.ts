import { asError } from "../../errors.js"
import { isPlainObject } from "../../merge.js"
import { isMode } from "./mode.js"
import { type DevPerson, findPerson } from "./people.js"
import { Refusal } from "./refusal.js"
import { type DevAnswer, param } from "./state.js"

/** The form of one person's claims, as it was filled in. */
export interface ClaimsForm {
  /** Empty for somebody new. */
  readonly sub: string
  readonly name: string
  readonly email: string
  readonly isVerified: boolean
  /** All other claims, as JSON. */
  readonly more: string
}

/** A form that can't be taken as it is. */
export interface Mistake {
  readonly mistake: string
  readonly form: ClaimsForm
}

/** What was chosen on the page; with a person's new claims where they were written. */
export type Choice =
  | { readonly answer: DevAnswer; readonly written?: { readonly sub: string; readonly claims: DevPerson } }
  | Mistake

/** A person's claims as the form shows them. */
export function formOf(sub: string, { name, email, email_verified, ...more }: DevPerson): ClaimsForm {
  return {
    sub,
    name: name ?? "",
    email: email ?? "",
    isVerified: email_verified === true,
    more: Object.keys(more).length > 0 ? JSON.stringify(more, null, 2) : "",
  }
}

/** @throws Error saying what is wrong, to the person who wrote it */
function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text || "{}")
    if (isPlainObject(value)) return value
  } catch (error) {
    throw new Error(`This is no JSON: ${asError(error).message}.`)
  }
  throw new Error('This is JSON, but no object. Write { "groups": ["staff"] }')
}

function readClaims({ name, email, isVerified, more }: ClaimsForm): DevPerson {
  const others = parseObject(more)
  return { ...(name && { name }), ...(email && { email, email_verified: isVerified }), ...others }
}

/** "Carol Smith" is carol-smith, and the second of that name carol-smith-2. */
function newSub({ email, name }: ClaimsForm, people: ReadonlyMap<string, DevPerson>): string {
  const [local = ""] = (email || name).split("@")
  const base =
    local
      .toLowerCase()
      .replace(/[^a-z\d]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "somebody"
  for (let count = 1; ; count++) {
    const sub = count === 1 ? base : `${base}-${count}`
    if (!people.has(sub)) return sub
  }
}

function readWritten(params: URLSearchParams, people: ReadonlyMap<string, DevPerson>): Choice {
  const text = (name: string) => params.get(name)?.trim() ?? ""
  const form = {
    ...{ sub: text("sub"), name: text("name"), email: text("email"), more: text("more") },
    isVerified: params.has("email_verified"),
  }
  try {
    const written = { sub: form.sub || newSub(form, people), claims: readClaims(form) }
    return { answer: { as: written.sub }, written }
  } catch (error) {
    return { mistake: asError(error).message, form }
  }
}

/**
 * Reads what the page's forms send: a person, one with claims written anew, or a mode.
 *
 * @throws Refusal where the page would not have sent that
 */
export function readChoice(params: URLSearchParams, people: ReadonlyMap<string, DevPerson>): Choice {
  if (params.has("more")) return readWritten(params, people)
  const [person, mode] = [param(params, "person"), param(params, "mode")]
  const as = person === undefined ? undefined : findPerson(people, person)
  if (person !== undefined && as === undefined) throw new Refusal("invalid_request", "there is no such person any more")
  if (mode !== undefined && !isMode(mode)) throw new Refusal("invalid_request", `there is no mode "${mode}"`)
  return { answer: { ...(as !== undefined && { as }), ...(mode && { mode }) } }
}
