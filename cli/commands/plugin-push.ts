import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { createError, messageOf } from '../../shared/errors/error.ts'
import {
  formatSourceAddress,
  formatStoredName,
  parseSourceAddress,
} from '../../shared/providers/terraform/install/source-address.ts'
import { terraformKind } from '../../shared/runtime/plugins/plugin-source-name.ts'
import type { Handler } from '../arguments/handler.ts'
import { requireApi } from '../remote/require-api.ts'

/** The file name of a published plugin archive. */
const archiveNamePattern = new RegExp(
  [
    '^pulumi-(?<kind>[a-z]+)-(?<name>[a-zA-Z0-9][\\w.-]*)-v(?<version>\\d[\\w.+-]*)',
    '-(?<os>linux|darwin|windows)-(?<arch>amd64|arm64)\\.tar\\.gz$',
  ].join(''),
)

/** The file name of a published package of a Terraform provider. */
const terraformNamePattern = new RegExp(
  [
    '^terraform-provider-(?<type>[^_]+)_(?<version>\\d[\\w.+-]*)',
    '_(?<os>linux|darwin|windows)_(?<arch>amd64|arm64)\\.zip$',
  ].join(''),
)

/** An archive of a plugin for one operating system and one architecture. */
interface NamedArchive {
  readonly kind: string
  readonly name: string
  /** The name in messages. */
  readonly title: string
  readonly version: string
  readonly os: string
  /** Node's name of the architecture. */
  readonly arch: string
}

/**
 * `plugin push`: uploads the archive of a plugin to an installation. Its functions then need no
 * other source of the plugin.
 */
export const pushPlugin: Handler = async (session, flags, [file = '']) => {
  const { kind, name, title, version, os, arch } =
    parseTerraformArchive(basename(file), flags.text('source')) ??
    parsePluginArchive(basename(file))
  const { remote, callApi } = await requireApi(
    session,
    'uploading a plugin requires',
    'Run `antichain login <address>`. Deployments on this machine find plugins as Pulumi does.',
  )
  const bytes = readFileBytes(resolve(session.cwd, file))
  const archiveHash = createHash('sha256').update(bytes).digest('hex')
  await remote.uploadArchive('/v1/plugins', { archive: archiveHash, bytes })
  const path = `/v1/plugins/${kind}/${name}/${version}/${os}/${arch}`
  await callApi({ method: 'PUT', path, body: { archive: archiveHash } })
  session.printToStderr(`Uploaded ${title} ${version} for ${os} ${arch}.`)
  return 0
}

function parsePluginArchive(fileName: string): NamedArchive {
  const { kind, name, version, os, arch } = archiveNamePattern.exec(fileName)?.groups ?? {}
  if (kind !== undefined && name !== undefined && version !== undefined && os !== undefined)
    return { kind, name, title: `${kind} plugin ${name}`, version, os, arch: nodeArchOf(arch) }
  throw createError('CLI_USAGE', `'${fileName}' is not the file name of a plugin archive`, {
    hint: 'Use the published file name, such as pulumi-resource-random-v4.16.3-linux-arm64.tar.gz.',
  })
}

/**
 * Parses the name of a Terraform provider's package. For another file name, returns undefined, or
 * throws CLI_USAGE if `source` is set. Throws CLI_USAGE if the name has another type than `source`.
 */
function parseTerraformArchive(
  fileName: string,
  source: string | undefined,
): NamedArchive | undefined {
  const { type, version, os, arch } = terraformNamePattern.exec(fileName)?.groups ?? {}
  if (type === undefined || version === undefined || os === undefined) {
    if (source === undefined) return undefined
    throw createError(
      'CLI_USAGE',
      `--source requires the zip file of a Terraform provider, not '${fileName}'`,
    )
  }
  const address = parseSourceAddress(source ?? type)
  if (address.type !== type)
    throw createError('CLI_USAGE', `'${fileName}' is not a package of the provider ${source ?? ''}`)
  return {
    kind: terraformKind,
    name: formatStoredName(address),
    title: `Terraform provider ${formatSourceAddress(address)}`,
    version,
    os,
    arch: nodeArchOf(arch),
  }
}

/** Returns Node's name of an architecture: x64 for amd64. */
function nodeArchOf(arch = ''): string {
  return arch === 'amd64' ? 'x64' : arch
}

function readFileBytes(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw createError('FILE_UNREADABLE', `cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}
