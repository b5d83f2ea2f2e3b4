import type { ProviderObject } from "../provider-kit/provider.js"

/** Returns the id after merging: `options.id` replaces `id`, even if it is null. Without types it can be any value. */
export const readProviderId = ({ id, options }: ProviderObject): unknown =>
  options?.id === undefined ? id : options.id
