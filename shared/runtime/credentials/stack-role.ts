import type { DeployRequest } from '../../engine/request.ts'
import { error } from '../../errors/error.ts'
import type { AssumedRole } from '../../platform/aws/roles.ts'
import type { CredentialsEndpoint } from './credentials-endpoint.ts'

/** Takes on the role of a stack. Throws STACK_ROLE_REFUSED, or what `awsFailure` says. */
export type AssumeRole = (
  role: string,
  request: Pick<DeployRequest, 'stack'>,
) => Promise<AssumedRole>

/** The configuration key by which a stack's owner names the role that it is deployed with. */
export const roleKey = 'antichain:role'

const roleForm = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,500}$/

/** What of a function's environment is its own affair: its places, its credentials, its runtime. */
const own =
  /^(ANTICHAIN_|AWS_|ECS_|_|LAMBDA_|NODE_OPTIONS$|NODE_COMPILE_CACHE$|PULUMI_CONFIG_PASSPHRASE)/

/** What of a function's environment others may see. */
export function withoutFunctionVariables(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).flatMap(([key, value]) =>
    value === undefined || own.test(key) ? [] : [[key, value] as const],
  )
  return Object.fromEntries(kept)
}

/**
 * The environment of a stack's program and plugins in a function: nothing of the function's own,
 * and where the credentials are of the role that the stack's configuration names, if it names one:
 * an operation may take longer than they last. `env`: that of the function. Throws CONFIG_INVALID
 * for what is no role, and what `assume` throws.
 */
export async function resolveStackVariables(
  deps: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly region: string
    readonly home: string
    readonly assume: AssumeRole
    readonly offer: CredentialsEndpoint['offer']
  },
  request: Pick<DeployRequest, 'stack' | 'config'>,
): Promise<Readonly<Record<string, string>>> {
  const { env, region, home, assume, offer } = deps
  const plain = { ...withoutFunctionVariables(env), HOME: home, AWS_REGION: region }
  const role = request.config.get(roleKey)?.text
  if (role === undefined) return plain
  if (!roleForm.test(role))
    throw error('CONFIG_INVALID', `'${roleKey}' is '${role}', which is not the ARN of a role`)
  const takeRole = () => assume(role, request)
  // A role that refuses this stack is told now, not by whichever provider asks first.
  await takeRole()
  return { ...plain, ...(await offer(`${role} ${request.stack}`, takeRole)) }
}
