import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { error, messageOf } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/attach-handler.ts'

/** As archives of plugins are named where they are published. */
const form = new RegExp(
  [
    '^pulumi-(?<kind>[a-z]+)-(?<name>[a-zA-Z0-9][\\w.-]*)-v(?<version>\\d[\\w.+-]*)',
    '-(?<os>linux|darwin|windows)-(?<arch>amd64|arm64)\\.tar\\.gz$',
  ].join(''),
)

/** `plugin push`: sends the archive of a plugin to an API, whose functions fetch it from there. */
export const pushPlugin: Handler = async (session, _flags, [file = '']) => {
  const { kind, name, version, os, arch } = form.exec(basename(file))?.groups ?? {}
  if (kind === undefined || arch === undefined)
    throw error('CLI_USAGE', `'${basename(file)}' is not named as an archive of a plugin`, {
      hint: 'Such as pulumi-resource-random-v4.16.3-linux-arm64.tar.gz',
    })
  const { remote, callApi } = await session.openEngine()
  if (remote === undefined)
    throw error('LOGIN_MISSING', 'plugins are sent to an API, and nobody is logged in', {
      hint: 'Run `antichain login <address>`; on this machine plugins are found as by Pulumi.',
    })
  const bytes = readFileBytes(resolve(session.cwd, file))
  const archive = createHash('sha256').update(bytes).digest('hex')
  await remote.send('/v1/plugins', { archive, bytes })
  // Node names this one otherwise.
  const machine = arch === 'amd64' ? 'x64' : arch
  const path = `/v1/plugins/${kind}/${name}/${version}/${os}/${machine}`
  await callApi({ method: 'PUT', path, body: { archive } })
  session.warn(`Sent ${kind} plugin ${name} ${version} for ${os} ${machine}.`)
  return 0
}

function readFileBytes(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw error('FILE_UNREADABLE', `${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
}
