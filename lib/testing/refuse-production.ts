/**
 * Refuses to work where people are real.
 *
 * @throws Error with NODE_ENV=production
 */
export function refuseProduction(what: string): void {
  if (process.env["NODE_ENV"] !== "production") return
  throw new Error(
    `${what} lets anybody be anybody and refuses to work with NODE_ENV=production. Leave it out of what runs there; for tests set NODE_ENV=test`,
  )
}
