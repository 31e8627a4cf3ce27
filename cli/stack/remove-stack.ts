import { rmSync } from 'node:fs'
import { requireEmptyStack } from '../../shared/runtime/state/require-empty-stack.ts'
import { error } from '../../shared/errors/error.ts'
import { readProject } from '../../shared/programs/project/project-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { EnginePort } from '../session/engine-port.ts'
import { readSelectedStack, selectStack } from './selected-stack.ts'
import type { CliSession } from '../session/session.ts'

/**
 * Removes a stack, and its configuration file unless `preserveConfig` is set. Throws
 * STACK_NOT_EMPTY without `force`, also for pending creates, and STACK_BUSY.
 */
export async function removeStack(
  session: CliSession,
  id: StackId,
  how: { readonly force: boolean; readonly preserveConfig: boolean },
): Promise<void> {
  const local = await session.openEngine()
  const { stack } = stackPartsOf(id)
  await requireIdle(local, id)
  if (local.remote !== undefined) await local.remote.removeStack(id, how.force)
  else await removeLocally(local, id, how.force)
  const project = findStackProject(session, id)
  if (project === undefined) return
  if (!how.preserveConfig) rmSync(stackConfigFileOf(project, stack), { force: true })
  const selected = readSelectedStack(session.home, project.file)
  if (selected === stack || selected === id) selectStack(session.home, project.file, '')
}

async function removeLocally(local: EnginePort, id: StackId, force: boolean): Promise<void> {
  const { stack } = stackPartsOf(id)
  const { catalog } = local.platform
  const [state, late] = [await local.exportState(id), await catalog.listLate(id, 100)]
  if (!force) requireEmptyStack(stack, state, late.length)
  if (!(await catalog.removeStack(id)))
    throw error('STACK_BUSY', `a deployment of the stack '${stack}' is running`, {
      hint: 'Wait for it, or end it with `antichain cancel`.',
    })
  await local.forgetStack(id)
}

/**
 * Refuses a stack with a running or interrupted deployment, before its resources are checked.
 * Throws STACK_BUSY.
 */
async function requireIdle(local: EnginePort, id: StackId): Promise<void> {
  const standing = await local.readStatus(id)
  if (standing.kind === 'none') return
  const which = `deployment ${standing.number} of the stack '${stackPartsOf(id).stack}'`
  if (standing.kind === 'running')
    throw error('STACK_BUSY', `${which} is running`, {
      hint: 'Wait for it, or end it with `antichain cancel`.',
    })
  throw error('STACK_BUSY', `${which} was interrupted and is not closed`, {
    hint:
      standing.kind === 'ending'
        ? 'Run `antichain cancel` to close it.'
        : 'Run `antichain cancel` to close it, or `antichain resume` to continue it.',
  })
}

/**
 * Returns the project of the folder if the stack belongs to it. A stack can be removed from any
 * folder.
 */
function findStackProject(session: CliSession, id: StackId): Project | undefined {
  try {
    const project = readProject(session.cwd)
    return stackIdOf(project.name, stackPartsOf(id).stack) === id ? project : undefined
  } catch {
    return undefined
  }
}
