/**
 * Attempts to sign in with credentials, at an application that has declared no fields.
 *
 * @module
 */
import Credentials from "../../../lib/providers/credentials.js"
import type { RunningApp } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"

const CALLBACK = "/auth/callback/credentials"

export type Fields = Record<string, unknown>

/** Who has the right password is whoever stands in the fields that this application reads, in this order. */
export const reading = (names: string[], tried: string[] = []) =>
  Credentials({
    authorize: (credentials: Fields) => {
      const name = names.map((field) => credentials[field]).find((value) => typeof value === "string" && value !== "")
      if (name === undefined) return null
      tried.push(String(name))
      return credentials["password"] === `right of ${name}` ? { id: String(name), name: String(name) } : null
    },
  })

/** One attempt with a wrong password, unless the fields have another; gives the status. */
export const attempt = async (browser: Browser, fields: Fields): Promise<number> => {
  const csrfToken = await browser.csrf()
  return (await browser.postJson(CALLBACK, { csrfToken, password: "wrong", ...fields })).status
}

/** Attempts one after the other, each in a browser of its own. */
export async function attempts(app: RunningApp, all: Fields[]): Promise<number[]> {
  const statuses: number[] = []
  for (const fields of all) statuses.push(await attempt(app.browser(), fields))
  return statuses
}

export const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
