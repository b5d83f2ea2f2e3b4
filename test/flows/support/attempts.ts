/**
 * Sign-in attempts with credentials, at an application that declares no fields.
 *
 * @module
 */
import Credentials from "../../../lib/providers/credentials.js"
import type { RunningApp } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"

const CALLBACK = "/auth/callback/credentials"

export type Fields = Record<string, unknown>

/** An application that reads the user's name from the first of these fields that is filled in. */
export const providerReading = (names: string[], tried: string[] = []) =>
  Credentials({
    authorize: (credentials: Fields) => {
      const name = names.map((field) => credentials[field]).find((value) => typeof value === "string" && value !== "")
      if (name === undefined) return null
      tried.push(String(name))
      return credentials["password"] === `right of ${name}` ? { id: String(name), name: String(name) } : null
    },
  })

/** One attempt, by default with a wrong password. Returns the status. */
export const attempt = async (browser: Browser, fields: Fields): Promise<number> => {
  const csrfToken = await browser.csrf()
  return (await browser.postJson(CALLBACK, { csrfToken, password: "wrong", ...fields })).status
}

/** Sequential attempts, each in a new browser. */
export async function attempts(app: RunningApp, all: Fields[]): Promise<number[]> {
  const statuses: number[] = []
  for (const fields of all) statuses.push(await attempt(app.browser(), fields))
  return statuses
}

export const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
