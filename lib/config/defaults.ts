export const DEFAULT_BASE_PATH = "/auth"
/** For handlers of other frameworks, whose routes live under /api by custom. */
export const DEFAULT_HANDLERS_BASE_PATH = "/api/auth"
export const DEFAULT_SESSION_MAX_AGE_SECONDS = 30 * 24 * 60 * 60
export const DEFAULT_SESSION_UPDATE_AGE_SECONDS = 24 * 60 * 60
export const MIN_SECRET_LENGTH = 32
export const DEFAULT_ATTEMPTS = 10
export const DEFAULT_ATTEMPTS_WINDOW_SECONDS = 15 * 60
export const DEFAULT_MAILS = 5
/** An office or a school may be one client. */
export const DEFAULT_MAILS_OF_CLIENT = 60
