import { existsSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import type { CheckProtocol } from '../../shared/providers/check/contract.ts'

/** The provider that a command line names. */
export interface LocatedProvider {
  readonly protocol: CheckProtocol
  /** The name in the report. Without `path`, the provider is found by this name. */
  readonly name: string
  readonly version: string
  /**
   * The executable of a local provider. For a folder with source code, the path that the executable
   * would have in it.
   */
  readonly path: string | undefined
}

/** The prefix of the file names of Pulumi's plugins. */
const pulumiPrefix = 'pulumi-resource-'
const terraformPrefix = 'terraform-provider-'

/**
 * Returns the provider of the operands: a file, a folder with source code, the name of a plugin, or
 * the address of a Terraform provider. Throws CLI_USAGE.
 */
export function locateCheckedProvider(
  cwd: string,
  protocolName: string | undefined,
  [plugin = '', version = '']: readonly string[],
): LocatedProvider {
  const isPath = /^\.{0,2}\//.test(plugin)
  const protocol = chooseProtocol(protocolName, plugin, isPath)
  if (isPath) return locateFile(resolve(cwd, plugin), protocol)
  const [name = '', versionInName = ''] = plugin.split('@')
  if (versionInName !== '' && version !== '')
    throw createError('CLI_USAGE', `'${plugin}' and '${version}' are two versions of one provider`)
  return { protocol, name, version: versionInName || version, path: undefined }
}

/**
 * Chooses the protocol. Addresses of Terraform providers have a namespace, and names of Pulumi's
 * plugins have none.
 */
function chooseProtocol(
  protocolName: string | undefined,
  plugin: string,
  isPath: boolean,
): CheckProtocol {
  if (protocolName === 'pulumi' || protocolName === 'terraform') return protocolName
  const isTerraform = isPath ? basename(plugin).startsWith(terraformPrefix) : plugin.includes('/')
  return isTerraform ? 'terraform' : 'pulumi'
}

function locateFile(path: string, protocol: CheckProtocol): LocatedProvider {
  if (!existsSync(path)) throw createError('CLI_USAGE', `no provider at ${path}`)
  if (protocol === 'terraform') return { protocol, name: basename(path), version: '', path }
  const file = basename(path)
  if (statSync(path).isDirectory()) {
    const name = file.startsWith(pulumiPrefix) ? file.slice(pulumiPrefix.length) : file
    return { protocol, name, version: '', path: resolve(path, `${pulumiPrefix}${name}`) }
  }
  if (!file.startsWith(pulumiPrefix))
    throw createError(
      'CLI_USAGE',
      `the file of a plugin must be named ${pulumiPrefix}NAME: ${resolve(dirname(path), file)}`,
    )
  return { protocol, name: file.slice(pulumiPrefix.length), version: '', path }
}
