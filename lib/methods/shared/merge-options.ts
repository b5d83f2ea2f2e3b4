import { omitUndefined } from "../../base/merge.js"

/** Merges the application's options over the provider's definition. Options that are undefined are ignored. */
export const mergeOptions = <P extends { readonly options?: object }>(provider: P): P => ({
  ...provider,
  ...omitUndefined(provider.options),
})
