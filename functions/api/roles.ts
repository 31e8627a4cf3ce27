import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'

/** What callers may do, each more than the one before. */
export const roles = ['read', 'preview', 'deploy', 'admin'] as const

/** What a caller may do. */
export type Role = (typeof roles)[number]

/** The stacks that a token is for: all, or those named as `<project>/<stack>` or `<project>/*`. */
export type TokenStacks = '*' | readonly string[]

/** Who calls: a token that was found good. */
export interface Caller {
  /** The id of the token. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  readonly role: Role
  readonly stacks: TokenStacks
}

/** Whether a role is enough for what asks for another. Pure. */
export function mayAct(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

/** Whether a token is for a stack. Pure. */
export function coversStack(stacks: TokenStacks, id: StackId): boolean {
  if (stacks === '*') return true
  const { project, stack } = stackPartsOf(id)
  return stacks.includes(`${project}/${stack}`) || stacks.includes(`${project}/*`)
}
