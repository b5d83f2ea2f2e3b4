/** The tested applications: each module format with each version of Express. */
export const FORMATS = { imported: "imported.mjs", required: "required.cjs" } as const
export const FRAMEWORKS = { "Express 5": "express", "Express 4": "express4" } as const

export type Format = keyof typeof FORMATS
export type Framework = keyof typeof FRAMEWORKS

/** The keys of an object literal are exactly its type's keys. */
const namesOf = <T extends object>(of: T) => Object.keys(of) as (keyof T)[]

export const PARTIES: readonly (readonly [Format, Framework])[] = namesOf(FRAMEWORKS).flatMap((framework) =>
  namesOf(FORMATS).map((format) => [format, framework] as const),
)
