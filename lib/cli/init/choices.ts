import type { CatalogueRow } from "../catalogue.js"

export const FRAMEWORKS = ["express", "hono", "fastify", "other"] as const
export const LANGUAGES = ["esm", "commonjs", "typescript"] as const
export const SESSIONS = ["cookie", "sqlite", "postgres", "mysql"] as const

export type Framework = (typeof FRAMEWORKS)[number]
export type Language = (typeof LANGUAGES)[number]
export type Session = (typeof SESSIONS)[number]

/** Everything that was decided: what is written comes of it and of the project alone. */
export interface Choices {
  readonly framework: Framework
  readonly language: Language
  readonly session: Session
  /** Ways to sign in, in the order of the page. */
  readonly rows: readonly CatalogueRow[]
  /** The provider for development, which asks for no account anywhere. */
  readonly usesDevProvider: boolean
}

/** Sign-in links and passkeys are kept, whatever the sessions are. */
export const needsDatabase = (rows: readonly CatalogueRow[]): boolean =>
  rows.some(({ type }) => type === "email" || type === "webauthn")

/** Where the sign-in is, below the site's address: what the middleware and the handlers take by themselves. */
export const basePathOf = (framework: Framework): string => (framework === "express" ? "/auth" : "/api/auth")
