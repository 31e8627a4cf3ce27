import { existsSync, renameSync } from 'node:fs'
import { error } from '../../shared/errors/error.ts'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { selectStack } from '../stack/selected-stack.ts'
import type { CliSession } from '../session/session.ts'
import { parseStackName } from '../../shared/records/stack-name.ts'

/**
 * `stack rename <name>`: renames a stack and its configuration file, possibly into another project.
 * Then it selects the stack.
 */
export const renameNamedStack: Handler = async (session, _flags, [name = '']) => {
  const from = await session.requireStack()
  const { project, stack } = stackPartsOf(from)
  const wanted = parseStackName(name)
  const to = stackIdOf(wanted.project ?? project, wanted.stack)
  const local = await session.openEngine()
  if (to === from) throw error('STACK_EXISTS', `the stack already has the name '${stack}'`)
  requireNoFile(session, from, to)
  await local.renameStack(from, to)
  const folder = findProject(session, project)
  if (folder !== undefined) {
    const [old, now] = [stackConfigFileOf(folder, stack), stackConfigFileOf(folder, wanted.stack)]
    if (old !== now && existsSync(old)) renameSync(old, now)
    selectStack(session.home, folder.file, wanted.project === undefined ? wanted.stack : to)
  }
  session.warn(`Renamed ${stack} to ${wanted.stack}`)
  return 0
}

/** Refuses to overwrite a configuration file with the new name. Throws STACK_EXISTS. */
function requireNoFile(session: CliSession, from: StackId, to: StackId): void {
  const folder = findProject(session, stackPartsOf(from).project)
  if (folder === undefined) return
  const [old, now] = [from, to].map(id => stackConfigFileOf(folder, stackPartsOf(id).stack))
  if (old === undefined || now === undefined || old === now) return
  if (existsSync(old) && existsSync(now))
    throw error('STACK_EXISTS', `the configuration file ${now} already exists`, {
      hint: 'Move or delete the file, or choose another name.',
    })
}

/**
 * Returns the project of the folder if the stack belongs to it. A stack can be renamed from any
 * folder.
 */
function findProject(session: CliSession, project: string) {
  try {
    const found = session.requireProject()
    return found.name === project ? found : undefined
  } catch {
    return undefined
  }
}
