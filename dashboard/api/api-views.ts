/** The responses of the API that the page reads. /openapi.json describes them. */

/** The roles of tokens, each with the roles that it includes. */
const includedRoles = {
  read: ['read'],
  preview: ['read', 'preview'],
  deploy: ['read', 'preview', 'deploy'],
  approve: ['read', 'preview', 'approve'],
  admin: ['read', 'preview', 'deploy', 'approve', 'admin'],
} as const

/** A role of a token. */
type TokenRole = keyof typeof includedRoles

/** The permissions of the token of the page. */
export interface TokenPermissions {
  readonly name: string
  readonly role: TokenRole
  readonly stacks: '*' | readonly string[]
}

/** A deployment in the history of a stack. */
export interface ShownDeployment {
  readonly number: number
  readonly command: string
  readonly message: string
  /** The requester. Absent for deployments of older versions. */
  readonly by?: string
  /** The approval of the applied plan. Absent without one. */
  readonly approval?: { readonly by: string; readonly at?: number; readonly note?: string }
  readonly startedAt: number
  readonly endedAt?: number
  /** Absent while the deployment is open. */
  readonly result?: string
  /** The numbers of operations by kind. */
  readonly changes?: Readonly<Record<string, number>>
  /** The stack's version at the end of the deployment, even if the deployment published none. */
  readonly version?: number
  /** Only of an open deployment: the requested stop, which is `none`, `graceful` or `forced`. */
  readonly stop?: string
  /** Only of an open deployment: the number of operations whose messages were not processed. */
  readonly undelivered?: number
}

/** The names of a stack. */
export interface ProjectAndStack {
  readonly project: string
  readonly stack: string
}

/** A stack. */
export interface ShownStack extends ProjectAndStack {
  readonly id: string
  readonly createdAt: number
  /** The id of the oldest open deployment, or '' without one. */
  readonly current: string
  readonly version: number
  /** The number of the last deployment, or 0 without one. */
  readonly deployments: number
  readonly last?: ShownDeployment
}

/** A plan that waits for an approval, or its outcome. */
export interface ShownApproval {
  /** The key of the request whose preview made the plan. */
  readonly request: string
  readonly state: 'waiting' | 'approved' | 'rejected' | 'expired'
  readonly command: string
  readonly message: string
  /** The requester, for display. */
  readonly by: string
  /** The time of the preview, in ms since 1970. */
  readonly at: number
  readonly expiresAt: number
  readonly changes: Readonly<Record<string, number>>
  readonly decision?: { readonly by: string; readonly at: number; readonly note?: string }
}

/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next?: string
}

/** A page of stacks, with the stacks whose records cannot be read. */
export interface StackListPage extends ListPage<ShownStack> {
  readonly unreadable: readonly { readonly id: string; readonly code: string }[]
}

/** The drift that the latest run of a stack found. `latestDriftRun` is '' without a run. */
export interface ShownDrift {
  readonly driftDetected: boolean
  readonly latestDriftRun: string
  readonly runInProgress: boolean
}

/** Returns the path of a stack in the API. */
export function apiPathOf({ project, stack }: ProjectAndStack): string {
  return `/v1/stacks/${encodeURIComponent(project)}/${encodeURIComponent(stack)}`
}

/** Reports whether a token may read the settings of the whole installation. Pure. */
export function isAdministrator({ role, stacks }: TokenPermissions): boolean {
  return role === 'admin' && stacks === '*'
}

/** Reports whether a token with the role `role` may do what requires the role `required`. Pure. */
export function allowsRole({ role }: Pick<TokenPermissions, 'role'>, required: TokenRole): boolean {
  return (includedRoles[role] as readonly string[]).includes(required)
}
