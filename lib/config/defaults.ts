export const DEFAULT_BASE_PATH = "/auth"
/** The default of `authHandlers`, because the server routes of other frameworks are under /api by convention. */
export const DEFAULT_HANDLERS_BASE_PATH = "/api/auth"
/**
 * The default of `session.maxCookieSize`, in bytes. nginx, Apache and Varnish reject a header above 8 kB. The
 * difference leaves room for the cookies of a sign-in in progress, which take almost 1 kB and are not counted.
 */
export const DEFAULT_MAX_COOKIE_SIZE = 7 * 1024
export const DEFAULT_SESSION_MAX_AGE_SECONDS = 30 * 24 * 60 * 60
export const DEFAULT_SESSION_UPDATE_AGE_SECONDS = 24 * 60 * 60
export const MIN_SECRET_LENGTH = 32
export const DEFAULT_MAX_ACCOUNTS_PER_USER = 20
