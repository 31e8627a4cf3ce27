import { rmSync } from 'node:fs'
import { requireEmpty } from '../functions/compaction/require-empty.ts'
import { error } from '../shared/errors/error.ts'
import { readProject } from '../shared/programs/project-file.ts'
import type { Project } from '../shared/programs/project.ts'
import { stackConfigFile } from '../shared/programs/stack-config.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../shared/records/ids.ts'
import type { Local } from './local-port.ts'
import { selectedStack, selectStack } from './selection.ts'
import type { Session } from './session.ts'

/**
 * Removes a stack, and its configuration file unless told to keep it. Throws STACK_NOT_EMPTY
 * without `force`, also for pending creates, STACK_BUSY.
 */
export async function removeStack(
  session: Session,
  id: StackId,
  how: { readonly force: boolean; readonly preserveConfig: boolean },
): Promise<void> {
  const local = await session.local()
  const { stack } = stackPartsOf(id)
  await requireFree(local, id)
  if (local.remote !== undefined) await local.remote.removeStack(id, how.force)
  else await removeHere(local, id, how.force)
  const project = projectOf(session, id)
  if (project === undefined) return
  if (!how.preserveConfig) rmSync(stackConfigFile(project, stack), { force: true })
  const selected = selectedStack(session.home, project.file)
  if (selected === stack || selected === id) selectStack(session.home, project.file, '')
}

async function removeHere(local: Local, id: StackId, force: boolean): Promise<void> {
  const { stack } = stackPartsOf(id)
  const { catalog } = local.platform
  const [state, late] = [await local.exportState(id), await catalog.late(id, 100)]
  if (!force) requireEmpty(stack, state, late.length)
  if (!(await catalog.removeStack(id)))
    throw error('STACK_BUSY', `a deployment of the stack '${stack}' is under way`, {
      hint: 'Wait for it, or end it with `antichain cancel`.',
    })
  await local.forgetStack(id)
}

/** What is under way is told before what is left. Throws STACK_BUSY. */
async function requireFree(local: Local, id: StackId): Promise<void> {
  const standing = await local.standing(id)
  if (standing.kind === 'none') return
  const which = `deployment ${standing.number} of the stack '${stackPartsOf(id).stack}'`
  if (standing.kind === 'running')
    throw error('STACK_BUSY', `${which} is under way`, {
      hint: 'Wait for it, or end it with `antichain cancel`.',
    })
  throw error('STACK_BUSY', `${which} was interrupted and is not closed`, {
    hint:
      standing.kind === 'ending'
        ? '`antichain cancel` closes it.'
        : '`antichain cancel` closes it; `antichain resume` goes on with it.',
  })
}

/** The project of the folder when it is the stack's; a stack may be removed from anywhere. */
function projectOf(session: Session, id: StackId): Project | undefined {
  try {
    const project = readProject(session.cwd)
    return stackIdOf(project.name, stackPartsOf(id).stack) === id ? project : undefined
  } catch {
    return undefined
  }
}
