import { finishOAuth } from "../../../../lib/methods/oauth/finish.js"
import { toGet } from "../../../../lib/methods/oauth/form-post.js"
import { customFetch } from "../../../../lib/symbols.js"
import { type Asked, begin, callOf, providerOf, type Setting, settingOf } from "./setting.js"

/** By path: what a provider's endpoint answers. */
export type Answers = Readonly<Record<string, (request: Request) => Response | Promise<Response>>>

export const TOKENS = { access_token: "the access token", token_type: "Bearer" }
export const ADA = { sub: "7", name: "Ada", email: "ada@example.com" }

/** What a good provider answers. */
const GOOD: Answers = { "/token": () => Response.json(TOKENS), "/me": () => Response.json(ADA) }

/** A `fetch` for a provider's endpoints, and what they were asked. */
export function answering(answers: Answers = {}) {
  const asked: Request[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    asked.push(request.clone())
    const answer = { ...GOOD, ...answers }[new URL(request.url).pathname]
    if (!answer) throw new Error(`nothing is at ${request.url}`)
    return answer(request)
  }
  return { asked, fetch, provider: { [customFetch]: fetch } }
}

/** A site with one provider that answers so. */
export const settingWith = (answers: Answers = {}, provider: object = {}, config: object = {}): Setting =>
  settingOf({ ...answering(answers).provider, ...provider }, config)

export const CODE = "the code of the answer"

/** Begins a sign-in, and gives what a browser asks that comes back from it. */
export async function wayBack(setting: Setting, query: Record<string, string> = {}): Promise<Asked> {
  const { state, cookies } = await begin(setting)
  return { cookies, query: { code: CODE, ...(state && { state }), ...query } }
}

/** Comes back so: who it proves to be. */
export async function finish(setting: Setting, asked: Asked) {
  return finishOAuth(await callOf(setting, asked), providerOf(setting), setting.runtime)
}

/** A whole sign-in. */
export const signIn = async (setting: Setting, query: Record<string, string> = {}) =>
  finish(setting, await wayBack(setting, query))

/** The same at a provider that posts its answer. */
export async function postedSignIn(setting: Setting, form: Record<string, string> = {}) {
  const { cookies = {}, query = {} } = await wayBack(setting, form)
  const { location = "" } = toGet(await callOf(setting, { form: query, cookies }), providerOf(setting), setting.runtime)
  return finish(setting, { cookies, query: Object.fromEntries(new URL(location).searchParams) })
}

/** Why it fails. */
export const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error: unknown) => error,
  )
