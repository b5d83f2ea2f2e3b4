/** The tested applications: each module format with each version of Express. */
export const FORMATS = { imported: "imported.mjs", required: "required.cjs" } as const
export const FRAMEWORKS = { "Express 5": "express", "Express 4": "express4" } as const

export type Format = keyof typeof FORMATS
export type Framework = keyof typeof FRAMEWORKS

/** The keys of an object. The cast is safe, because an object literal has exactly the keys of its type. */
const listKeys = <T extends object>(object: T) => Object.keys(object) as (keyof T)[]

export const PARTIES: readonly (readonly [Format, Framework])[] = listKeys(FRAMEWORKS).flatMap((framework) =>
  listKeys(FORMATS).map((format) => [format, framework] as const),
)
