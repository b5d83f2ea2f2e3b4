import type { CatalogueRow } from "../catalogue.js"

export const FRAMEWORKS = ["express", "hono", "fastify", "other"] as const
export const LANGUAGES = ["esm", "commonjs", "typescript"] as const
export const SESSIONS = ["cookie", "sqlite", "postgres", "mysql"] as const

export type Framework = (typeof FRAMEWORKS)[number]
export type Language = (typeof LANGUAGES)[number]
export type Session = (typeof SESSIONS)[number]

/** All choices. The written files depend only on them and on the project. */
export interface Choices {
  readonly framework: Framework
  readonly language: Language
  readonly session: Session
  /** The sign-in methods, in the order of the sign-in page. */
  readonly providers: readonly CatalogueRow[]
  /** Whether to add the development provider, which needs no account at a provider. */
  readonly usesDevProvider: boolean
}

/** Whether a method needs a database: email links and passkeys do, with every session strategy. */
export const needsDatabase = (providers: readonly CatalogueRow[]): boolean =>
  providers.some(({ type }) => type === "email" || type === "webauthn")

/** The default base path of the middleware (Express) or of the handlers. */
export const basePathFor = (framework: Framework): string => (framework === "express" ? "/auth" : "/api/auth")
