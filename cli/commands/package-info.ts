import { createError } from '../../shared/errors/error.ts'
import type { PackageSchema } from '../../shared/providers/package-schema/package-schema.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import {
  formatFunctionInfo,
  formatModuleInfo,
  formatPackageInfo,
  formatResourceInfo,
  moduleOfToken,
  nameOfToken,
} from '../packages/format-package-info.ts'
import { loadPackageSchema } from '../packages/load-package-schema.ts'

/**
 * `package info`: describes a package, one of its modules, or one of its resources or functions.
 * An asterisk marks required inputs. Throws CLI_USAGE, PLUGIN_MISSING and PLUGIN_FAILED.
 */
export const printPackageInfo: Handler = async (session, flags, [plugin = '', ...args]) => {
  if (flags.text('resource') !== undefined && flags.text('function') !== undefined)
    throw createError('CLI_USAGE', 'only one of --function or --resource can be specified')
  const { schema } = await loadPackageSchema(session, { plugin, args })
  for (const line of describe(schema, flags)) session.print(line)
  return 0
}

function describe(schema: PackageSchema, flags: Flags): readonly string[] {
  const module = flags.text('module')
  const resource = flags.text('resource')
  const functionName = flags.text('function')
  if (resource !== undefined) {
    const [token, spec] = findToken(schema.resources, { name: resource, module, kind: 'resource' })
    return formatResourceInfo(token, spec)
  }
  if (functionName !== undefined) {
    const selection = { name: functionName, module, kind: 'function' }
    const [token, spec] = findToken(schema.functions, selection)
    return formatFunctionInfo(token, spec)
  }
  if (module === undefined) return formatPackageInfo(schema)
  const lines = formatModuleInfo(schema, module)
  if (lines.length === 0)
    throw createError('CLI_USAGE', `the package '${schema.name}' has no module '${module}'`)
  return lines.slice(1)
}

/**
 * Finds an entry by its token, or by the name at the end of the token. Throws CLI_USAGE unless
 * exactly one entry matches.
 */
function findToken<T>(
  specs: Readonly<Record<string, T>> = {},
  selection: { readonly name: string; readonly module: string | undefined; readonly kind: string },
): readonly [token: string, spec: T] {
  const { name, module, kind } = selection
  const matches = Object.entries(specs).filter(
    ([token]) =>
      (token === name || nameOfToken(token) === name) &&
      (module === undefined || moduleOfToken(token) === module),
  )
  const [entry] = matches
  if (entry === undefined) throw createError('CLI_USAGE', `the package has no ${kind} '${name}'`)
  if (matches.length > 1)
    throw createError('CLI_USAGE', `several modules have a ${kind} '${name}'`, {
      hint: `Pass --module, or one of ${matches.map(([token]) => token).join(', ')}.`,
    })
  return entry
}
