import { error } from '../shared/errors/error.ts'

/** A stack as it is named on the command line. */
export interface StackName {
  /** undefined where the name leaves the project to the folder. */
  readonly project: string | undefined
  readonly stack: string
}

/**
 * Reads `stack`, `project/stack` or `organization/project/stack`; the only organization is
 * `organization`. Throws STACK_NAME_INVALID.
 */
export function parseStackName(text: string): StackName {
  const parts = text.split('/')
  const stack = parts.at(-1) ?? ''
  const project = parts.at(-2)
  const organization = parts.at(-3) ?? 'organization'
  const valid = [stack, project ?? stack].every(part => /^[\w.-]{1,100}$/.test(part))
  if (!valid || parts.length > 3 || organization !== 'organization')
    throw error('STACK_NAME_INVALID', `'${text}' is not the name of a stack`)
  return { project, stack }
}
