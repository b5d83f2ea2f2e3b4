/** Copies a text. A substring would keep the whole text in memory, for example the `Cookie` header. */
export const copyText = (text: string): string => Buffer.from(text).toString()
