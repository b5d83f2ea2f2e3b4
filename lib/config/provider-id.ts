import type { ProviderObject } from "../providers/provider.js"

/** Without types anything may stand there, or nothing; null replaces, as it does in the merged provider. */
export const idOf = ({ id, options }: ProviderObject): unknown => (options?.id === undefined ? id : options.id)
