import { existsSync, renameSync } from 'node:fs'
import { error } from '../../shared/errors/error.ts'
import { stackConfigFile } from '../../shared/programs/stack-config.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import { selectStack } from '../selection.ts'
import type { Session } from '../session.ts'
import { parseStackName } from '../../shared/records/stack-name.ts'

/**
 * `stack rename <name>`: gives the stack another name, and its configuration file with it; the
 * project may be another one too. The stack is selected then.
 */
export const stackRename: Handler = async (session, _flags, [name = '']) => {
  const from = await session.existingStack()
  const { project, stack } = stackPartsOf(from)
  const wanted = parseStackName(name)
  const to = stackIdOf(wanted.project ?? project, wanted.stack)
  const local = await session.local()
  if (to === from) throw error('STACK_EXISTS', `the stack is called '${stack}' already`)
  requireNoFile(session, from, to)
  await local.renameStack(from, to)
  const folder = projectOf(session, project)
  if (folder !== undefined) {
    const [old, now] = [stackConfigFile(folder, stack), stackConfigFile(folder, wanted.stack)]
    if (old !== now && existsSync(old)) renameSync(old, now)
    selectStack(session.home, folder.file, wanted.project === undefined ? wanted.stack : to)
  }
  session.warn(`Renamed ${stack} to ${wanted.stack}`)
  return 0
}

/** A file of the new name would be lost. Throws STACK_EXISTS. */
function requireNoFile(session: Session, from: StackId, to: StackId): void {
  const folder = projectOf(session, stackPartsOf(from).project)
  if (folder === undefined) return
  const [old, now] = [from, to].map(id => stackConfigFile(folder, stackPartsOf(id).stack))
  if (old === undefined || now === undefined || old === now) return
  if (existsSync(old) && existsSync(now))
    throw error('STACK_EXISTS', `the configuration file ${now} exists already`, {
      hint: 'Move it away, or choose another name.',
    })
}

/** The project of the folder when it is the stack's; a stack may be renamed from anywhere. */
function projectOf(session: Session, project: string) {
  try {
    const found = session.project()
    return found.name === project ? found : undefined
  } catch {
    return undefined
  }
}
