import { loadPackageSchema } from '../packages/load-package-schema.ts'
import type { Handler } from '../arguments/handler.ts'

/**
 * `package get-schema`: prints the schema of a plugin's package as JSON. Throws CLI_USAGE,
 * PLUGIN_MISSING and PLUGIN_FAILED.
 */
export const printPackageSchema: Handler = async (session, _flags, [plugin = '', ...args]) => {
  const { json } = await loadPackageSchema(session, { plugin, args })
  session.print(JSON.stringify(json, null, 2))
  return 0
}
