import * as z from 'zod'
import { type DeployError, createError } from '../errors/error.ts'
import { toPrintable } from '../triggers/printable.ts'
import { pulumiOperations } from '../triggers/pulumi-operation.ts'

/** The hints for unsupported settings, by path. The first matching row applies. */
const settingHints: readonly (readonly [string, string])[] = [
  ['executorContext', 'The processes of the installation run every deployment.'],
  ['operationContext.preRunCommands', 'Run the commands before `antichain deploy`.'],
  [
    'operationContext.environmentVariables',
    'Put values for the program into the configuration of the stack.',
  ],
  ['operationContext.oidc', 'Name the role of the stack: see docs/aws.md#the-role-of-a-stack.'],
  [
    'operationContext.options.deleteAfterDestroy',
    'Create a schedule with `pulumi stack schedule new --kind ttl --delete-after-destroy`.',
  ],
  [
    'operationContext.options.remediateIfDriftDetected',
    'Create a schedule with `pulumi stack schedule new --kind drift --auto-remediate`.',
  ],
  ['agentPoolID', 'There is one pool of executors.'],
  [
    'sourceContext.git.gitAuth',
    'The credential of the repository belongs to its webhook: `antichain webhook create`.',
  ],
  [
    'sourceContext',
    'Upload the program with `antichain deploy`, or name a repository of a webhook.',
  ],
  ['vcs', 'Create a webhook for pushes and pull requests: `antichain webhook create`.'],
  ['gitHub', 'Create a webhook for pushes and pull requests: `antichain webhook create`.'],
]

/**
 * Returns a value without its empty members: null, false, '', [] and {}. Clients send such members
 * for options that the user did not set. Returns undefined for an empty value.
 */
export function withoutEmptyMembers(value: unknown): unknown {
  if (value === null || value === false || value === '') return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  if (typeof value !== 'object') return value
  const entries = Object.entries(value)
    .map(([name, member]) => [name, withoutEmptyMembers(member)] as const)
    .filter(([, member]) => member !== undefined)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/**
 * Throws API_INPUT_INVALID for the first member that is not supported. `supported` lists paths of
 * members; members below these paths are supported too.
 */
export function refuseUnsupported(settings: unknown, supported: readonly string[]): void {
  const unsupported = findUnsupported(settings, supported, '')
  if (unsupported !== undefined) throw createUnsupportedError(unsupported)
}

function findUnsupported(
  value: unknown,
  supported: readonly string[],
  path: string,
): string | undefined {
  if (value === undefined || supported.includes(path)) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return path
  for (const [name, member] of Object.entries(value)) {
    const unsupportedPath = findUnsupported(
      member,
      supported,
      path === '' ? name : `${path}.${name}`,
    )
    if (unsupportedPath !== undefined) return unsupportedPath
  }
  return undefined
}

function createUnsupportedError(path: string): DeployError {
  const [, hint = 'docs/pulumi-cli.md lists the supported settings.'] =
    settingHints.find(([name]) => path === name || path.startsWith(`${name}.`)) ?? []
  const message = `deployments of this installation do not support '${toPrintable(path)}'`
  return createError('API_INPUT_INVALID', message, { hint })
}

/** The body of a request for a deployment. */
export const createDeploymentForm = z.looseObject({
  operation: z.enum(pulumiOperations),
  inheritSettings: z.boolean().nullish(),
})
