import { createError } from '../errors/error.ts'
import { type StackId, stackPartsOf } from '../records/ids.ts'

/** The roles of callers. */
export const roles = ['read', 'preview', 'deploy', 'approve', 'admin'] as const

/** The role of a caller. */
export type Role = (typeof roles)[number]

/** The stacks of a token: all, or those named as `<project>/<stack>` or `<project>/*`. */
export type TokenStacks = '*' | readonly string[]

/** The authenticated caller of a request. */
export interface Caller {
  /** The id of the token. */
  readonly id: string
  /** The name of the token, as users see it. */
  readonly name: string
  readonly role: Role
  readonly stacks: TokenStacks
}

/** The roles that each role includes. An approver needs no permission to deploy. */
const includedRoles: Readonly<Record<Role, readonly Role[]>> = {
  read: ['read'],
  preview: ['read', 'preview'],
  deploy: ['read', 'preview', 'deploy'],
  approve: ['read', 'preview', 'approve'],
  admin: roles,
}

/** Reports whether a role includes the required role. Pure. */
export function includesRole(role: Role, requiredRole: Role): boolean {
  return includedRoles[role].includes(requiredRole)
}

/** Reports whether a token covers a stack. Pure. */
export function coversStack(stacks: TokenStacks, id: StackId): boolean {
  if (stacks === '*') return true
  const { project, stack } = stackPartsOf(id)
  return stacks.includes(`${project}/${stack}`) || stacks.includes(`${project}/*`)
}

/**
 * Requires a role, and access to `scope`: one stack, or the whole installation. With the scope
 * `any`, the role suffices, whichever stacks the token covers. Throws API_FORBIDDEN. The error is
 * the same for existing and missing stacks, so that a caller without access cannot find out which
 * stacks exist.
 */
export function requirePermission(
  caller: Caller,
  requiredRole: Role,
  scope: StackId | 'any' | 'installation',
): void {
  requireRole(caller, requiredRole, 'the call')
  if (scope === 'any' || caller.stacks === '*') return
  if (scope === 'installation')
    throw createError('API_FORBIDDEN', 'the call requires a token of all stacks')
  if (!coversStack(caller.stacks, scope))
    throw createError('API_FORBIDDEN', 'the call requires a token of this stack')
}

/** Requires a role of the caller. Throws API_FORBIDDEN, whose message begins with `subject`. */
export function requireRole(caller: Caller, requiredRole: Role, subject: string): void {
  if (!includesRole(caller.role, requiredRole))
    throw createError(
      'API_FORBIDDEN',
      `${subject} requires the role ${requiredRole}; the token has the role ${caller.role}`,
    )
}
