import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { error, messageOf } from '../../shared/errors/error.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Handler } from '../attach.ts'
import type { Session } from '../session.ts'
import { managerOfState } from '../stack-secrets.ts'

/**
 * `stack export`: the state of a stack in Pulumi's form, sealed, or in clear with --show-secrets.
 */
export const stackExport: Handler = async (session, flags) => {
  const id = await session.existingStack()
  const version = versionOf(flags.text('version'))
  const local = await session.local()
  const stored = await local.exportState(id, version)
  if (stored === undefined && version !== undefined)
    throw error('STATE_INVALID', `the stack has no version ${version}`, {
      hint: 'List what it has with `antichain stack history`.',
    })
  const state = await session.tools.state()
  const open =
    stored !== undefined && flags.is('showSecrets') ? await inClear(session, stored) : stored
  const text = state.printEnvelope(
    open === undefined ? { version: 3, deployment: null } : state.envelopeOf(open),
  )
  const file = flags.text('file')
  if (file === undefined) session.io.stdout.write(text)
  else write(resolve(session.cwd, file), text)
  return 0
}

async function inClear(session: Session, stored: StoredDeployment): Promise<StoredDeployment> {
  const manager = await managerOfState(session, stored)
  if (manager === undefined) return stored
  const state = await session.tools.state()
  return state.encodeSnapshot(state.decodeSnapshot(stored, manager), manager, 'plaintext')
}

function versionOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text)) throw error('CLI_USAGE', `--version takes a number, not '${text}'`)
  return Number(text)
}

function write(file: string, text: string): void {
  try {
    // A state may hold secrets in clear; it is nobody else's business.
    writeFileSync(file, text, { mode: 0o600 })
  } catch (cause) {
    throw error('FILE_UNREADABLE', `${file} cannot be written: ${messageOf(cause)}`, { cause })
  }
}
