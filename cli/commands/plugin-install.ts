import { resolve } from 'node:path'
import semver from 'semver'
import { createError } from '../../shared/errors/error.ts'
import { pluginTitleOf } from '../../shared/providers/install/download-plugin.ts'
import {
  cacheLocationOf,
  type GitPluginReference,
  parseGitReference,
} from '../../shared/providers/install/git-address.ts'
import { installPlugin, withPluginVersion } from '../../shared/providers/install/install-plugin.ts'
import { machineOf, type PluginRequest } from '../../shared/providers/install/plugin-address.ts'
import { terraformPlugin } from '../../shared/providers/terraform/terraform-plugins.ts'
import { listCachedVersions, chooseVersion } from '../../shared/providers/plugins/cached-plugins.ts'
import { terraformKind } from '../../shared/runtime/plugins/plugin-source-name.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import {
  findUserPluginCache,
  requirePluginKind,
  readRequiredPackages,
  withInstallDeps,
} from '../plugins/plugin-command-tools.ts'
import {
  installNamedTerraformProvider,
  installRequiredTerraformProviders,
} from '../plugins/terraform-providers.ts'
import type { CliSession } from '../session/session.ts'

/**
 * `plugin install`: installs plugins into the cache, as `up` does automatically. Throws CLI_USAGE,
 * and the errors of `installPlugin` and of the installer of Terraform providers.
 */
export const installPlugins: Handler = async (session, flags, operands) => {
  const file = flags.text('file')
  const [kind] = operands
  if (kind === terraformKind) {
    await installNamedTerraformProvider(session, flags, operands)
    return 0
  }
  if (kind === undefined && (file !== undefined || flags.text('checksum') !== undefined))
    throw createError('CLI_USAGE', '--file and --checksum require the kind and name of one plugin')
  const requestedPlugins =
    kind === undefined ? await listProjectPlugins(session) : [parsePlugin(flags, operands)]
  const concurrency = Number(flags.text('parallel') ?? '4')
  if (!Number.isInteger(concurrency)) throw createError('CLI_USAGE', '--parallel takes a number')
  if (kind === undefined) await installRequiredTerraformProviders(session, flags)
  await withInstallDeps(session, async deps => {
    // If the user names no version, the latest one is installed, even beside an older one.
    const plugins =
      kind === undefined
        ? requestedPlugins
        : await Promise.all(requestedPlugins.map(plugin => withPluginVersion(plugin, deps)))
    const pluginsToInstall = plugins.filter(
      plugin => flags.isSet('reinstall') || !isInstalled(session, flags, plugin),
    )
    const queue = [...pluginsToInstall]
    const installQueued = async (): Promise<void> => {
      for (let plugin = queue.shift(); plugin !== undefined; plugin = queue.shift()) {
        const sourceOption = file === undefined ? {} : { sourcePath: resolve(session.cwd, file) }
        const request = { plugin, ...sourceOption, isForced: flags.isSet('reinstall') }
        const version = await installPlugin(request, deps)
        session.printToStderr(`Installed ${pluginTitleOf({ ...plugin, version })}`)
      }
    }
    // A number below 1 means no limit.
    const workerCount =
      concurrency < 1 ? pluginsToInstall.length : Math.min(concurrency, pluginsToInstall.length)
    await Promise.all(Array.from({ length: workerCount }, installQueued))
  })
  return 0
}

/** Returns the plugin that the operands name. */
function parsePlugin(flags: Flags, operands: readonly string[]): PluginRequest {
  const [kindText = '', nameText, versionText = ''] = operands
  const kind = requirePluginKind(kindText)
  if (nameText === undefined) throw createError('CLI_USAGE', 'missing plugin name argument')
  const repository = parseGitReference(nameText)
  if (repository !== undefined) return parseRepositoryPlugin(kind, repository, versionText, flags)
  const [name = '', versionInName = '', ...extraParts] = nameText.split('@')
  if (extraParts.length > 0 || !/^[A-Za-z0-9-][\w.-]*$/.test(name))
    throw createError('CLI_USAGE', `invalid plugin name '${nameText}'`)
  if (versionInName !== '' && versionText !== '')
    throw createError(
      'CLI_USAGE',
      `cannot specify both "@${versionInName}" and "${versionText}" as a version`,
    )
  const text = versionInName || versionText
  const version = text === '' ? '' : semver.parse(text.replace(/^v/, ''))?.raw
  if (version === undefined) throw createError('CLI_USAGE', `invalid plugin version: ${text}`)
  if (version === '' && flags.text('file') !== undefined)
    throw createError('CLI_USAGE', 'missing plugin version argument: --file requires it')
  return { kind, name, version, downloadUrl: flags.text('server') ?? '', ...readChecksums(flags) }
}

/** Returns a plugin that the operands name by the address of its repository. */
function parseRepositoryPlugin(
  kind: string,
  reference: GitPluginReference,
  versionText: string,
  flags: Flags,
): PluginRequest {
  if (reference.version !== '' && versionText !== '')
    throw createError('CLI_USAGE', 'cannot specify a version when the version is part of the name')
  if (flags.text('server') !== undefined)
    throw createError('CLI_USAGE', 'cannot specify --server when the plugin name is an address')
  const version =
    versionText === '' ? reference.version : semver.parse(versionText.replace(/^v/, ''))?.raw
  if (version === undefined)
    throw createError('CLI_USAGE', `invalid plugin version: ${versionText}`)
  return { kind, ...reference, version, ...readChecksums(flags) }
}

function readChecksums(flags: Flags): Pick<PluginRequest, 'checksums'> {
  const checksum = flags.text('checksum')
  if (checksum === undefined) return { checksums: new Map() }
  if (!/^[0-9a-fA-F]{64}$/.test(checksum))
    throw createError('CLI_USAGE', '--checksum takes a SHA-256 in hex')
  const { os, arch } = machineOf(process.platform, process.arch)
  return { checksums: new Map([[`${os}-${arch}`, checksum]]) }
}

/** Returns the plugins that the project requires, except the built-in ones. */
async function listProjectPlugins(session: CliSession): Promise<readonly PluginRequest[]> {
  const packages = await readRequiredPackages(session)
  return packages
    .map(({ pkg, version, downloadUrl, parameters }) => ({
      kind: 'resource',
      name: parameters?.plugin ?? pkg,
      version,
      downloadUrl,
      checksums: new Map<string, string>(),
    }))
    .filter(({ name }) => name !== 'pulumi-nodejs' && name !== terraformPlugin)
}

function isInstalled(session: CliSession, flags: Flags, plugin: PluginRequest): boolean {
  const { name } = cacheLocationOf(plugin)
  const installedVersions = listCachedVersions(findUserPluginCache(session), {
    kind: plugin.kind,
    name,
  })
  return chooseVersion(installedVersions, plugin.version, !flags.isSet('exact')) !== undefined
}
