import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import semver from 'semver'
import { createError, messageOf } from '../../shared/errors/error.ts'
import {
  type PackageSchema,
  packageSchemaForm,
} from '../../shared/providers/package-schema/package-schema.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import type { PluginHost, Provider } from '../../shared/providers/provider.ts'
import { terraformPlugin } from '../../shared/providers/terraform/terraform-plugins.ts'
import {
  isFolderSource,
  type ProjectPlugin,
} from '../../shared/programs/project/project-plugins.ts'
import type { CliSession } from '../session/session.ts'
import { withPluginHost } from './with-plugin-host.ts'
import { isNestedDeeper } from '../../shared/values/nesting.ts'
import { parseForm } from '../../shared/values/parse-form.ts'

/**
 * The operands that name a package. `plugin`: a plugin, as `name` or `name@version`, the folder of
 * a plugin, or the path of a schema file (`.json`). `args`: the arguments of the plugin.
 */
export interface PackageOperands {
  readonly plugin: string
  readonly args: readonly string[]
}

/** A schema, and its whole JSON, which also has fields that `PackageSchema` omits. */
export interface LoadedSchema {
  readonly schema: PackageSchema
  readonly json: unknown
}

/**
 * Returns the schema of a package, from its plugin or from a `.json` file. Throws CLI_USAGE,
 * PLUGIN_MISSING and PLUGIN_FAILED.
 */
export async function loadPackageSchema(
  session: CliSession,
  operands: PackageOperands,
): Promise<LoadedSchema> {
  const { plugin, args } = operands
  if (plugin.endsWith('.json')) {
    if (args.length > 0) throw createError('CLI_USAGE', `a schema file has no arguments: ${plugin}`)
    return parseSchema(readSchemaFile(resolve(session.cwd, plugin)), plugin)
  }
  if (isFolderSource(plugin)) {
    const local = locateLocalPlugin(session.cwd, plugin)
    const { name, version } = local
    const readSchema = (host: PluginHost): Promise<string> =>
      readPluginSchema(host, { name, version, args })
    return parseSchema(await withPluginHost(session, readSchema, [local]), plugin)
  }
  const [name = '', version = '', ...extraParts] = plugin.split('@')
  if (!/^[A-Za-z][\w.-]*$/.test(name) || extraParts.length > 0)
    throw createError(
      'CLI_USAGE',
      `'${plugin}' is not a plugin; pass the name of a plugin, its folder, or a schema file (.json)`,
    )
  if (name === terraformPlugin && args.length === 0)
    throw createError(
      'CLI_USAGE',
      `${terraformPlugin} needs the source of a provider, such as hashicorp/random, or the path of its file`,
    )
  if (version !== '' && semver.valid(version) === null)
    throw createError('CLI_USAGE', `invalid plugin version: ${version}`)
  const text = await withPluginHost(session, host =>
    readPluginSchema(host, { name, version: version.replace(/^v/, ''), args }),
  )
  return parseSchema(text, plugin)
}

/** Returns the plugin whose file or source code is in a folder. Throws CLI_USAGE. */
function locateLocalPlugin(cwd: string, path: string): ProjectPlugin {
  const folder = resolve(cwd, path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw createError('CLI_USAGE', `no folder of a plugin at ${folder}`)
  return { kind: 'resource', name: basename(folder), version: '', folder }
}

function readSchemaFile(path: string): string {
  if (!existsSync(path)) throw createError('CLI_USAGE', `no schema file at ${path}`)
  return readFileSync(path, 'utf8')
}

async function readPluginSchema(
  host: PluginHost,
  { name, version, args }: { name: string; version: string; args: readonly string[] },
): Promise<string> {
  const plugin = { kind: 'resource', name, version, downloadUrl: '' }
  const provider = await host.load(plugin, { pkg: name, packageConfig: {} })
  try {
    const packageIdentity = await parameterize(provider, name, args)
    if (provider.describe === undefined)
      throw createError('PLUGIN_FAILED', `the plugin '${name}' has no schema`)
    return await provider.describe.getSchema(packageIdentity)
  } catch (thrown) {
    if (!(thrown instanceof ProviderError)) throw thrown
    throw createError('PLUGIN_FAILED', `cannot read the schema of '${name}': ${thrown.message}`, {
      cause: thrown,
    })
  } finally {
    await provider.close()
  }
}

/** Returns the package that the plugin serves with `args`. Without arguments, its name is ''. */
async function parameterize(
  provider: Provider,
  name: string,
  args: readonly string[],
): Promise<{ readonly name: string; readonly version: string }> {
  if (args.length === 0) return { name: '', version: '' }
  if (provider.parameterizeByArguments === undefined)
    throw createError('CLI_USAGE', `the plugin '${name}' takes no arguments: ${args.join(' ')}`)
  return provider.parameterizeByArguments(args)
}

/** Maximum nesting depth of a schema. Its form and the generators are recursive. */
const schemaDepthMax = 200

function parseSchema(text: string, subject: string): LoadedSchema {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    const message = `the schema of '${subject}' is not valid JSON: ${messageOf(cause)}`
    throw createError('PLUGIN_FAILED', message, { cause })
  }
  if (isNestedDeeper(json, schemaDepthMax))
    throw createError(
      'PLUGIN_FAILED',
      `the schema of '${subject}' is nested deeper than ${schemaDepthMax} levels`,
    )
  const parsed = parseForm(packageSchemaForm, json)
  if (parsed.success) {
    // Generators name folders and files after the package.
    if (/^\w[\w.-]*$/.test(parsed.data.name)) return { schema: parsed.data, json }
    const name = JSON.stringify(parsed.data.name)
    throw createError('PLUGIN_FAILED', `the schema of '${subject}' has an invalid name ${name}`)
  }
  const [issue] = parsed.error.issues
  const location = issue === undefined ? '' : ` at ${issue.path.join('.')}: ${issue.message}`
  throw createError('PLUGIN_FAILED', `the schema of '${subject}' is invalid${location}`)
}
