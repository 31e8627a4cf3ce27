import { unknownProject } from '../../shared/backends/backend-keys.ts'
import { createError } from '../../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { parseStackName } from '../../shared/records/stack-name.ts'
import type { CliSession } from '../session/session.ts'
import type { ImportSource } from './find-source.ts'

/**
 * Returns the stack with a name, `<stack>` or `<project>/<stack>`, from the stacks of a backend. Of
 * several stacks with this name, returns that of the folder's project. Without a name, returns the
 * stack that the address of the source names, or else asks in a terminal. Throws STACK_NOT_FOUND,
 * and CLI_USAGE for an ambiguous or missing name.
 */
export async function chooseSourceStack(
  session: CliSession,
  { backend, stacks, isSingle }: ImportSource,
  name: string | undefined,
): Promise<StackId> {
  const [onlyStack] = stacks
  if (isSingle && name === undefined && onlyStack !== undefined) return onlyStack
  const text = name ?? (await askForStack(session, stacks))
  const { project, stack } = parseStackName(text)
  const isNamed = (id: StackId): boolean => {
    const parts = stackPartsOf(id)
    // A stack whose project is unknown matches every project.
    const isOfProject = [project ?? parts.project, unknownProject].includes(parts.project)
    return parts.stack === stack && isOfProject
  }
  const matches = stacks.filter(isNamed)
  const [first, second] = matches
  if (first === undefined)
    throw createError('STACK_NOT_FOUND', `${backend.store.address} has no stack '${text}'`, {
      hint: `Its stacks are: ${stacks.map(nameOfStack).join(', ') || 'none'}`,
    })
  if (second === undefined) return first
  const folderProject = readProjectName(session)
  const stackOfFolder = matches.find(id => stackPartsOf(id).project === folderProject)
  if (stackOfFolder !== undefined) return stackOfFolder
  const names = matches.map(nameOfStack).join(', ')
  throw createError('CLI_USAGE', `several stacks are named '${stack}': ${names}`, {
    hint: 'Name the stack with its project: <project>/<stack>.',
  })
}

async function askForStack(session: CliSession, stacks: readonly StackId[]): Promise<string> {
  if (!session.mayPrompt)
    throw createError('CLI_USAGE', 'the name of the stack is missing: pass it after the address')
  const names = stacks.map(nameOfStack).join(', ')
  return (await session.io.prompt(`Select a stack (${names}):`)).trim()
}

function nameOfStack(id: StackId): string {
  const { project, stack } = stackPartsOf(id)
  return project === unknownProject ? stack : `${project}/${stack}`
}

function readProjectName(session: CliSession): string | undefined {
  try {
    return session.requireProject().name
  } catch {
    // Stacks are found from any folder. Only ambiguous names need the project.
    return undefined
  }
}
