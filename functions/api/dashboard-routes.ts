import type { Context, Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { DashboardFiles } from '../../shared/runtime/environment/read-dashboard-files.ts'

/** The time for which browsers keep a file with a hash in its name: a year. */
const immutableCaching = 'public, max-age=31536000, immutable'

/**
 * Adds a route for each file of the dashboard. No other path leads to a file, so a path cannot
 * leave the folder of the build. `countRequest` counts a request against the rate limit of its
 * address. An error of `countRequest` is the response.
 *
 * The files need no token, because they contain no data. The page loads scripts, styles and data
 * from its own address only, and no other page may frame it.
 */
export function addDashboardRoutes(
  app: Hono,
  files: DashboardFiles,
  countRequest: (context: Context) => void,
): void {
  const addHeaders = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      connectSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    referrerPolicy: 'no-referrer',
    xFrameOptions: 'DENY',
  })
  for (const [path, { type, bytes, isImmutable }] of files)
    app.get(path, addHeaders, context => {
      countRequest(context)
      const caching = isImmutable ? immutableCaching : 'no-store'
      return context.body(bytes, 200, { 'content-type': type, 'cache-control': caching })
    })
}
