import { createError } from '../../shared/errors/error.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { parseStackName, type StackName } from '../../shared/records/stack-name.ts'
import { readSelectedStack } from './selected-stack.ts'

/** The sources of a stack's name and project, for a name that is absent or has no project. */
interface StackNameSources {
  /** The value of --stack. */
  readonly stackOption: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Returns the project of the folder. Throws PROJECT_NOT_FOUND, PROJECT_INVALID. */
  readonly requireProject: () => Project
}

/**
 * Returns the parts of the stack name `name`. Without a name, the stack is that of --stack, or else
 * that of PULUMI_STACK, or else the selected stack of the project. The stack need not exist. Throws
 * STACK_NOT_SELECTED.
 */
export function resolveStackName(
  {
    stackOption,
    env,
    home,
    requireProject,
  }: Omit<StackNameSources, 'requireProject'> & {
    readonly requireProject: () => Pick<Project, 'file'>
  },
  name?: string,
): StackName {
  const specifiedName = name || stackOption || env['PULUMI_STACK'] || ''
  const stackName =
    specifiedName === '' ? readSelectedStack(home, requireProject().file) : specifiedName
  if (stackName === '') throw createError('STACK_NOT_SELECTED', 'no stack is specified or selected')
  return parseStackName(stackName)
}

/**
 * Returns the id of the stack that `resolveStackName` names. Without a project in the name, the
 * project is that of the folder.
 */
export function resolveStackId(sources: StackNameSources, name?: string): StackId {
  const { project, stack } = resolveStackName(sources, name)
  return stackIdOf(project ?? sources.requireProject().name, stack)
}
