/** What the variables of a provider begin with: `AUTH_MICROSOFT_ENTRA_ID` for "microsoft-entra-id". */
export const envPrefix = (id: string): string => `AUTH_${id.toUpperCase().replace(/-/g, "_")}`
