import { rmSync } from 'node:fs'
import { requireEmptyState } from '../../shared/runtime/state/require-empty-stack.ts'
import {
  createJustEndedError,
  createOpenDeploymentError,
} from '../../shared/engine/deployment/ownership/stack-busy.ts'
import { createError } from '../../shared/errors/error.ts'
import { readProject } from '../../shared/programs/project/project-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config-file.ts'
import { deploymentIdOf, type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { EnginePort } from '../../local/engine-port.ts'
import { readSelectedStack, selectStack } from './selected-stack.ts'
import type { CliSession } from '../session/session.ts'

/** Maximum number of late outcomes that are read, and whose resources the error names. */
const lateOutcomesMax = 100

/**
 * Removes a stack, and its configuration file unless `preserveConfig` is set. Throws STACK_BUSY.
 * Without `force`, throws STACK_NOT_EMPTY for a stack with resources, late outcomes or pending
 * creates.
 */
export async function removeStack(
  session: CliSession,
  id: StackId,
  options: { readonly force: boolean; readonly preserveConfig: boolean },
): Promise<void> {
  const engine = await session.openEngine()
  const { stack } = stackPartsOf(id)
  // The API itself refuses a stack with an open deployment.
  if (engine.remote !== undefined) await engine.remote.removeStack(id, options.force)
  else {
    await requireIdle(engine, id)
    await removeLocally(engine, id, options.force)
  }
  const project = findStackProject(session, id)
  if (project === undefined) return
  if (!options.preserveConfig) rmSync(stackConfigFileOf(project, stack), { force: true })
  const selectedStack = readSelectedStack(session.home, project.file)
  if (selectedStack === stack || selectedStack === id) selectStack(session.home, project.file, '')
}

async function removeLocally(engine: EnginePort, id: StackId, force: boolean): Promise<void> {
  const { stack } = stackPartsOf(id)
  const { catalog } = engine.platform
  const [state, lateOutcomes] = [
    await engine.exportState(id),
    await catalog.listLateOutcomes(id, lateOutcomesMax),
  ]
  if (!force) requireEmptyState(stack, state, lateOutcomes)
  if (!(await catalog.removeStack(id))) {
    await requireIdle(engine, id)
    throw createJustEndedError(id)
  }
  await engine.forgetStack(id)
}

/** Refuses a stack with a running or interrupted deployment. Throws STACK_BUSY. */
async function requireIdle(engine: EnginePort, id: StackId): Promise<void> {
  const status = await engine.readStatus(id)
  if (status.kind === 'none') return
  if (status.kind === 'running')
    throw await createOpenDeploymentError(engine.platform, deploymentIdOf(id, status.number))
  const subject = `deployment ${status.number} of the stack '${stackPartsOf(id).stack}'`
  throw createError('STACK_BUSY', `${subject} was interrupted and is not closed`, {
    hint:
      status.kind === 'ending'
        ? 'Run `antichain cancel` to close it.'
        : 'Run `antichain cancel` to close it, or `antichain resume` to continue it.',
  })
}

/**
 * Returns the project of the folder, or undefined if the stack does not belong to it. A stack can
 * be removed from any folder.
 */
function findStackProject(session: CliSession, id: StackId): Project | undefined {
  try {
    const project = readProject(session.cwd)
    return stackIdOf(project.name, stackPartsOf(id).stack) === id ? project : undefined
  } catch {
    return undefined
  }
}
