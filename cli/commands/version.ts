import type { Handler } from '../arguments/handler.ts'
import { formatVersion } from '../session/format-version.ts'

/** `version`: prints the version. */
export const printVersion: Handler = session => {
  session.print(formatVersion(session.io.env))
  return Promise.resolve(0)
}
