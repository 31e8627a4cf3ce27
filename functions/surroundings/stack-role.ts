import type { DeployRequest } from '../../shared/engine/request.ts'
import { error } from '../../shared/errors/error.ts'

/** Credentials of a role for a time. */
export interface RoleCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
}

/** Takes on the role of a stack. Throws STACK_ROLE_REFUSED. */
export type AssumeRole = (
  role: string,
  request: Pick<DeployRequest, 'stack'>,
) => Promise<RoleCredentials>

/** The configuration key by which a stack's owner names the role that it is deployed with. */
export const roleKey = 'antichain:role'

const roleForm = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,500}$/

/** What of a function's environment is its own affair: its places, its credentials, its runtime. */
const own =
  /^(ANTICHAIN_|AWS_|_|LAMBDA_|NODE_OPTIONS$|NODE_COMPILE_CACHE$|PULUMI_CONFIG_PASSPHRASE)/

/** What of a function's environment others may see. */
export function withoutOwn(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).flatMap(([key, value]) =>
    value === undefined || own.test(key) ? [] : [[key, value] as const],
  )
  return Object.fromEntries(kept)
}

/**
 * The environment of a stack's program and plugins in a function: nothing of the function's own, and
 * the credentials of the role that the stack's configuration names, if it names one. `env`: that of
 * the function. Throws CONFIG_INVALID for what is no role, and what `assume` throws.
 */
export async function stackEnvironment(
  about: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly region: string
    readonly home: string
    readonly assume: AssumeRole
  },
  request: Pick<DeployRequest, 'stack' | 'config'>,
): Promise<Readonly<Record<string, string>>> {
  const { env, region, home, assume } = about
  const plain = { ...withoutOwn(env), HOME: home, AWS_REGION: region }
  const role = request.config.get(roleKey)?.text
  if (role === undefined) return plain
  if (!roleForm.test(role))
    throw error('CONFIG_INVALID', `'${roleKey}' is '${role}', which is not the ARN of a role`)
  const { accessKeyId, secretAccessKey, sessionToken } = await assume(role, request)
  return {
    ...plain,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  }
}
