/** The prefix of a provider's environment variables: `AUTH_MICROSOFT_ENTRA_ID` for "microsoft-entra-id". */
export const envPrefix = (id: string): string => `AUTH_${id.toUpperCase().replace(/-/g, "_")}`
