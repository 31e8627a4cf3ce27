import { createError } from '../errors/error.ts'
import { type StackId, stackIdOf } from './ids.ts'

/** A stack name as users write it. */
export interface StackName {
  /**
   * Undefined when the name does not contain the project. The project file then determines the
   * project.
   */
  readonly project: string | undefined
  readonly stack: string
}

/**
 * Parses `stack`, `project/stack` or `organization/project/stack`. The only organization is
 * `organization`, and `organization/stack` omits the project. Throws STACK_NAME_INVALID.
 */
export function parseStackName(text: string): StackName {
  const parts = text.split('/')
  const stack = parts.at(-1) ?? ''
  const isShort = parts.length === 2 && parts[0] === 'organization'
  const project = isShort ? undefined : parts.at(-2)
  const organization = parts.at(-3) ?? 'organization'
  // Names are parts of file paths in backends, so `.` and `..` would lead to other folders.
  const isValid = [stack, project ?? stack].every(part => /^(?!\.\.?$)[\w.-]{1,100}$/.test(part))
  if (!isValid || parts.length > 3 || organization !== 'organization')
    throw createError('STACK_NAME_INVALID', `'${text}' is not the name of a stack`)
  return { project, stack }
}

/**
 * Returns the id of a named stack. `project` is the default for a name without a project. Throws
 * STACK_NAME_INVALID.
 */
export function parseStackId(text: string, project: string): StackId {
  const name = parseStackName(text)
  return stackIdOf(name.project ?? project, name.stack)
}
