import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { resolve } from 'node:path'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { type PointInTime, parsePointInTime } from '../../shared/records/point-in-time.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Handler } from '../arguments/handler.ts'
import { parseNumberArgument } from '../arguments/parse-number-argument.ts'
import type { CliSession } from '../session/session.ts'
import { openStateManager } from '../stack/stack-secrets.ts'

/**
 * `stack export`: exports the state of a stack in Pulumi's format. Secrets are sealed, or in
 * plaintext with --show-secrets.
 */
export const exportStack: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const versionText = flags.text('version')
  const version =
    versionText === undefined
      ? undefined
      : parseNumberArgument(versionText, '--version takes a number')
  const pointInTime = parsePointInTimeFlag(flags.text('at'))
  if (pointInTime !== undefined && version !== undefined)
    throw createError('CLI_USAGE', '--at and --version cannot be used together')
  const engine = await session.openEngine()
  const storedState =
    pointInTime === undefined
      ? await engine.exportState(id, version)
      : await engine.exportStateAt(id, pointInTime)
  if (storedState === undefined && version !== undefined)
    throw createError('MOMENT_UNKNOWN', `the stack has no version ${version}`, {
      hint: 'List the versions with `antichain stack history`.',
    })
  const stateTools = await session.tools.loadState()
  const openedState =
    storedState !== undefined && flags.isSet('showSecrets')
      ? await openSecrets(session, storedState)
      : storedState
  const chunks = stateTools.printEnvelopeInChunks(
    openedState === undefined
      ? { version: 3, deployment: null }
      : await stateTools.envelopeOf(openedState),
  )
  const file = flags.text('file')
  if (file !== undefined) await writeState(resolve(session.cwd, file), chunks)
  else for await (const chunk of chunks) session.io.stdout.write(chunk)
  return 0
}

async function openSecrets(
  session: CliSession,
  storedState: StoredDeployment,
): Promise<StoredDeployment> {
  // An earlier version may be from before a rename, and its data key then names the old stack.
  const manager = await openStateManager(session, storedState, { kind: 'any' })
  if (manager === undefined) return storedState
  const stateTools = await session.tools.loadState()
  return stateTools.recodeDeployment(storedState, manager, { manager, mode: 'plaintext' })
}

function parsePointInTimeFlag(text: string | undefined): PointInTime | undefined {
  if (text === undefined) return undefined
  const pointInTime = parsePointInTime(text)
  if (pointInTime !== undefined) return pointInTime
  throw createError('CLI_USAGE', `--at takes a time or a moment, not '${text}'`, {
    hint: 'Pass a time such as 2026-01-31T12:00:00Z, or a moment such as 4:17; `antichain stack history --show 4` lists the moments.',
  })
}

async function writeState(file: string, chunks: AsyncIterable<string>): Promise<void> {
  try {
    // A state may contain plaintext secrets, so no other user may read the file.
    await pipeline(Readable.from(chunks), createWriteStream(file, { mode: 0o600 }))
  } catch (cause) {
    throw createError('FILE_UNWRITABLE', `cannot write ${file}: ${messageOf(cause)}`, { cause })
  }
}
