import type { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'

/** Adds security headers to all responses of an app. They allow no other origins. */
export function addSecureHeaders(app: Hono): void {
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      referrerPolicy: 'no-referrer',
    }),
  )
}
