import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { error, messageOf } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/attach-handler.ts'

/** The file name of a published plugin archive. */
const archiveNamePattern = new RegExp(
  [
    '^pulumi-(?<kind>[a-z]+)-(?<name>[a-zA-Z0-9][\\w.-]*)-v(?<version>\\d[\\w.+-]*)',
    '-(?<os>linux|darwin|windows)-(?<arch>amd64|arm64)\\.tar\\.gz$',
  ].join(''),
)

/**
 * `plugin push`: uploads the archive of a plugin to an API, whose functions download it from there.
 */
export const pushPlugin: Handler = async (session, _flags, [file = '']) => {
  const { kind, name, version, os, arch } = archiveNamePattern.exec(basename(file))?.groups ?? {}
  if (kind === undefined || arch === undefined)
    throw error('CLI_USAGE', `'${basename(file)}' is not the file name of a plugin archive`, {
      hint: 'Use the published file name, such as pulumi-resource-random-v4.16.3-linux-arm64.tar.gz.',
    })
  const { remote, callApi } = await session.openEngine()
  if (remote === undefined)
    throw error('LOGIN_MISSING', 'uploading a plugin requires a login to an API', {
      hint: 'Run `antichain login <address>`; on this machine plugins are found as in Pulumi.',
    })
  const bytes = readFileBytes(resolve(session.cwd, file))
  const archive = createHash('sha256').update(bytes).digest('hex')
  await remote.uploadArchive('/v1/plugins', { archive, bytes })
  // Node's name of the architecture amd64 is x64.
  const machine = arch === 'amd64' ? 'x64' : arch
  const path = `/v1/plugins/${kind}/${name}/${version}/${os}/${machine}`
  await callApi({ method: 'PUT', path, body: { archive } })
  session.printToStderr(`Uploaded ${kind} plugin ${name} ${version} for ${os} ${machine}.`)
  return 0
}

function readFileBytes(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw error('FILE_UNREADABLE', `cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}
