import type { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'

/**
 * Adds security headers to all responses of an app. With them, a browser loads nothing for a
 * response, and no page may frame it.
 */
export function addSecureHeaders(app: Hono): void {
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      referrerPolicy: 'no-referrer',
    }),
  )
}
