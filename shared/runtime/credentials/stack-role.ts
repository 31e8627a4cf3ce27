import type { DeployInput } from '../../engine/request.ts'
import { createError } from '../../errors/error.ts'
import type { AssumedRole } from '../../platform/aws/roles.ts'
import type { CredentialsEndpoint } from './credentials-endpoint.ts'

/** Assumes the role of a stack. Throws STACK_ROLE_REFUSED, or the errors of `createAwsError`. */
export type AssumeRole = (role: string, request: Pick<DeployInput, 'stack'>) => Promise<AssumedRole>

/** The configuration key of the role with which a stack is deployed. */
export const roleKey = 'antichain:role'

/** The configuration key of the role of previews. Absent: previews use the role of deployments. */
export const previewRoleKey = 'antichain:previewRole'

/** The fields of a request that determine its role. */
type RoleRequest = Pick<DeployInput, 'stack' | 'config' | 'dryRun' | 'reviewedConfig'>

const rolePattern = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,500}$/

/**
 * The pattern of variables that belong to a function itself: its resources, its credentials, its
 * passphrase, its runtime. The runtime of Lambda sets variables that begin with `_`.
 */
const functionVariablePattern =
  /^(ANTICHAIN_|AWS_|ECS_|OTEL_|_|LAMBDA_|NODE_(OPTIONS|COMPILE_CACHE)$|PULUMI_CONFIG_PASSPHRASE)/

/** Returns a function's environment without the variables that belong to the function itself. */
export function removeFunctionVariables(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const otherVariables = Object.entries(env).flatMap(([key, value]) =>
    value === undefined || functionVariablePattern.test(key) ? [] : [[key, value] as const],
  )
  return Object.fromEntries(otherVariables)
}

/**
 * Returns the role of a request, or undefined for none. A preview uses the preview role of its
 * stack, if there is one. An unreviewed preview uses only the preview role of the reviewed
 * configuration. Pure. Throws CONFIG_INVALID for an invalid role.
 */
function selectRole({ config, dryRun, reviewedConfig }: RoleRequest): string | undefined {
  if (reviewedConfig !== undefined) return readRole(reviewedConfig, previewRoleKey)
  const previewRole = dryRun ? readRole(config, previewRoleKey) : undefined
  return previewRole ?? readRole(config, roleKey)
}

/** Returns the role that a configuration names under a key. Throws CONFIG_INVALID. */
function readRole(config: DeployInput['config'], key: string): string | undefined {
  const role = config.get(key)?.text
  if (role !== undefined && !rolePattern.test(role))
    throw createError('CONFIG_INVALID', `'${key}' is '${role}', which is not the ARN of a role`)
  return role
}

/**
 * Returns the environment of a stack's program and plugins in a function, without variables of the
 * function itself. If the request has a role, the environment contains an endpoint for its
 * credentials, because an operation may outlast one set of credentials. `env`: the function's
 * environment. Throws CONFIG_INVALID for an invalid role, and the errors of `assume`.
 */
export async function resolveStackVariables(
  deps: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly region: string
    readonly home: string
    readonly assume: AssumeRole
    readonly offer: CredentialsEndpoint['offer']
  },
  request: RoleRequest,
): Promise<Readonly<Record<string, string>>> {
  const { env, region, home, assume, offer } = deps
  const baseVariables = { ...removeFunctionVariables(env), HOME: home, AWS_REGION: region }
  const role = selectRole(request)
  if (role === undefined) return baseVariables
  const getCredentials = () => assume(role, request)
  // The role is assumed now, so that a refusal is reported before the first provider needs it.
  await getCredentials()
  return { ...baseVariables, ...(await offer(`${role} ${request.stack}`, getCredentials)) }
}
