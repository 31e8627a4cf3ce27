import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { emulatedVersion } from '../../config/emulated-version.ts'
import { createError } from '../../errors/error.ts'
import { type DocumentsPort, type SealingPort, sealingContextOf } from '../../ports/documents.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { PluginKey, PluginStorePort } from '../../ports/plugins.ts'
import type { ClockPort, LoggerPort } from '../../ports/system.ts'
import {
  type DownloadDeps,
  downloadPlugin,
  pluginTitleOf,
} from '../../providers/install/download-plugin.ts'
import { isGitAddress } from '../../providers/install/git-address.ts'
import { machineOf, type PluginSource } from '../../providers/install/plugin-address.ts'
import { fetchLatestVersion } from '../../providers/install/plugin-source-requests.ts'
import { pluginSourcesOf } from '../../providers/install/plugin-sources.ts'
import type { PluginDescriptor } from '../../providers/provider.ts'
import { packagePlatformOf } from '../../providers/terraform/install/package-folders.ts'
import { parseSourceAddress } from '../../providers/terraform/install/source-address.ts'
import { createOutboundFetch } from './outbound-fetch.ts'
import { findAllowedSource, listAllowedSources } from './plugin-source-document.ts'
import { sourceNameOf, storedNameOf, terraformKind } from './plugin-source-name.ts'

/** Dependencies of the acquisition of plugins. */
export interface AcquireDeps {
  readonly store: Pick<PluginStorePort, 'add'>
  readonly documents: Pick<DocumentsPort, 'list'>
  readonly sealing: Pick<SealingPort, 'open'>
  readonly outbound: OutboundPort
  readonly clock: Pick<ClockPort, 'now' | 'sleep'>
  readonly logger: LoggerPort
  /** The parent of a temporary folder. */
  readonly scratch: string
  /** The platform of the functions, in Node's names. It decides which archive is downloaded. */
  readonly os: string
  readonly arch: string
}

/** Downloads a missing plugin into the store of an installation. Returns its version. */
export type AcquirePlugin = (plugin: PluginDescriptor) => Promise<string>

/**
 * Creates the acquisition of plugins. A missing plugin is downloaded from its own source, if an
 * administrator has allowed that source. Its archive is registered in the store. Two processes may
 * download the same archive at the same time. Throws PLUGIN_SOURCE_REFUSED, PLUGIN_ADDRESS,
 * PLUGIN_TAKEN if another process has registered other bytes, the errors of `downloadPlugin` and of
 * `downloadProviderPackage`, and those of the ports.
 */
export function createPluginAcquirer(deps: AcquireDeps): AcquirePlugin {
  const { store, scratch, logger, os, arch } = deps
  return async plugin => {
    const source = sourceNameOf(plugin)
    requireArchiveSource(plugin)
    const credential = await openCredential(plugin, source, deps)
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    const folder = mkdtempSync(join(scratch, 'plugin-'))
    try {
      const file = join(folder, 'archive')
      const version = await download(plugin, { file, folder, credential }, deps)
      const bytes = readFileSync(file)
      const key: PluginKey = { kind: plugin.kind, name: storedNameOf(plugin), version, os, arch }
      const title = pluginTitleOf({ ...plugin, version })
      if (!(await store.add(key, bytes, source)))
        throw createError(
          'PLUGIN_TAKEN',
          `${title} exists with another archive than the one that ${source} serves`,
          { hint: 'Run the command again: it uses the archive that was stored first.' },
        )
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      logger.write('info', 'plugin.fetched', { plugin: title, source, sha256, bytes: bytes.length })
      return version
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * Returns the credential of a plugin's source; '' if it has none. Throws PLUGIN_SOURCE_REFUSED if
 * no administrator has allowed the source.
 */
async function openCredential(
  plugin: PluginDescriptor,
  source: string,
  { documents, sealing }: AcquireDeps,
): Promise<string> {
  const allowed = findAllowedSource(await listAllowedSources(documents), source)
  if (allowed === undefined) {
    const title = pluginTitleOf(plugin)
    const commands = `\`antichain plugin allow '${source}'\`, or send the plugin's archive with \`antichain plugin push\``
    throw createError(
      'PLUGIN_SOURCE_REFUSED',
      `the installation does not have the ${title}: an administrator must allow the plugin's source with ${commands}`,
      { details: { source } },
    )
  }
  if (allowed.credential === undefined) return ''
  return sealing.open(allowed.credential, sealingContextOf(allowed.key))
}

/** The file for the archive, a folder for temporary files, and the credential of the source. */
interface DownloadTarget {
  readonly file: string
  readonly folder: string
  readonly credential: string
}

/** Downloads the archive of a plugin into a file. Returns its version. */
async function download(
  plugin: PluginDescriptor,
  { file, folder, credential }: DownloadTarget,
  deps: AcquireDeps,
): Promise<string> {
  const common = createDownloadDeps(deps)
  if (plugin.kind === terraformKind) {
    const { downloadProviderPackage } = await import(
      '../../providers/terraform/install/download-package.ts'
    )
    const provider = { address: parseSourceAddress(plugin.name), version: plugin.version }
    return downloadProviderPackage(provider, file, {
      ...common,
      home: folder,
      programFolder: folder,
      now: () => deps.clock.now(),
      platform: packagePlatformOf(deps.os, deps.arch),
      token: credential === '' ? undefined : credential,
    })
  }
  const { checksums = new Map<string, string>() } = plugin
  const request = { ...plugin, checksums }
  const sources = pluginSourcesOf(request, '')
  const downloadDeps = { ...common, ...createSourceAccess(sources, credential, deps) }
  const [source] = sources
  const version =
    plugin.version === '' && source !== undefined
      ? await fetchLatestVersion(source, request, downloadDeps)
      : plugin.version
  await downloadPlugin(file, { ...request, version }, sources, downloadDeps)
  return version
}

function createDownloadDeps({ outbound, clock, logger, os, arch }: AcquireDeps): DownloadDeps {
  return {
    fetch: createOutboundFetch(outbound),
    git: () => Promise.resolve({ stdout: '', stderr: 'functions do not use Git', code: null }),
    env: {},
    machine: machineOf(os, arch),
    version: emulatedVersion,
    pause: pauseMs => clock.sleep(pauseMs),
    report: (severity, text) =>
      logger.write(severity === 'info' ? 'info' : 'warn', 'plugin.download', { message: text }),
  }
}

/** Throws PLUGIN_ADDRESS for a plugin from a Git repository, which has no archive. */
function requireArchiveSource(plugin: PluginDescriptor): void {
  if (plugin.kind === terraformKind || !isGitAddress(plugin.downloadUrl)) return
  throw createError(
    'PLUGIN_ADDRESS',
    `functions do not build plugins from Git repositories: send the archive of the ${pluginTitleOf(plugin)} with \`antichain plugin push\``,
  )
}

/**
 * Returns the access to the first source. GitHub and GitLab get the credential as their token. For
 * a first source of another kind, the returned `fetch` sends the credential only to that source's
 * origin.
 */
function createSourceAccess(
  sources: readonly PluginSource[],
  credential: string,
  { outbound }: AcquireDeps,
): Partial<Pick<DownloadDeps, 'env' | 'fetch'>> {
  const [source] = sources
  if (credential === '' || source === undefined) return {}
  if (source.kind === 'github') return { env: { GITHUB_TOKEN: credential } }
  if (source.kind === 'gitlab') return { env: { GITLAB_TOKEN: credential } }
  const origin = URL.parse(source.url)?.origin ?? ''
  const authorization = credential.includes(':')
    ? `Basic ${Buffer.from(credential).toString('base64')}`
    : `Bearer ${credential}`
  return { fetch: createOutboundFetch(outbound, { origin, authorization }) }
}
