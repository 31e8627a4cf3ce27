import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts'
import { externalIdOf } from '../../config/aws-resource-names.ts'
import { createError, hasCode, messageOf } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { withAwsErrors } from './aws-error.ts'

/** Credentials of a role, valid for an hour. */
export interface AssumedRole {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly expiresAt: EpochMs
}

/**
 * The longest session, in ms, of a role that another role assumes. A function runs for at most a
 * quarter of this time.
 */
const sessionMs = 3_600_000
/** Remaining validity, in ms, below which the assumer tries to renew credentials. */
const renewalReserveMs = 20 * 60_000

/**
 * Creates the assumer of stack roles: a function that returns credentials of a role for a stack.
 * Concurrent callers share one request, and valid credentials are reused. The external id names
 * installation and stack, so the owner of a role decides which stack may use the role. The assumer
 * throws STACK_ROLE_REFUSED, and the errors of `createAwsError` for failures of the service. While
 * earlier credentials are still valid, it returns them instead of throwing.
 */
export function createRoleAssumer(deps: {
  readonly sts: Pick<STSClient, 'send'>
  readonly installation: string
  readonly clock: Pick<ClockPort, 'now'>
}): (role: string, stack: StackId) => Promise<AssumedRole> {
  const { clock } = deps
  const credentialsByKey = new Map<string, AssumedRole>()
  const pendingCredentials = new Map<string, Promise<AssumedRole>>()
  const renewCredentials = async (role: string, stack: StackId): Promise<AssumedRole> => {
    const cacheKey = `${role} ${stack}`
    try {
      const credentials = await assumeRole(deps, role, stack)
      credentialsByKey.set(cacheKey, credentials)
      return credentials
    } catch (thrown) {
      const earlierCredentials = credentialsByKey.get(cacheKey)
      if (earlierCredentials === undefined || earlierCredentials.expiresAt <= clock.now())
        throw thrown
      return earlierCredentials
    } finally {
      pendingCredentials.delete(cacheKey)
    }
  }
  return (role, stack) => {
    const cacheKey = `${role} ${stack}`
    const cachedCredentials = credentialsByKey.get(cacheKey)
    if (
      cachedCredentials !== undefined &&
      cachedCredentials.expiresAt - renewalReserveMs > clock.now()
    )
      return Promise.resolve(cachedCredentials)
    const pending = pendingCredentials.get(cacheKey) ?? renewCredentials(role, stack)
    pendingCredentials.set(cacheKey, pending)
    return pending
  }
}

async function assumeRole(
  { sts, installation, clock }: Parameters<typeof createRoleAssumer>[0],
  role: string,
  stack: StackId,
): Promise<AssumedRole> {
  const externalId = externalIdOf(installation, stack)
  const command = new AssumeRoleCommand({
    RoleArn: role,
    RoleSessionName: sessionNameOf(stack),
    ExternalId: externalId,
    DurationSeconds: sessionMs / 1_000,
  })
  const { Credentials: credentials } = await withAwsErrors(`role ${role}: assume`, () =>
    sts.send(command),
  ).catch((thrown: unknown) => {
    if (!hasCode(thrown, 'STORE_DENIED')) throw thrown
    const reason = `the role ${role} refuses the stack ${stack} with the external id '${externalId}'`
    throw createError('STACK_ROLE_REFUSED', `${reason}: ${messageOf(thrown)}`, { cause: thrown })
  })
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = credentials ?? {}
  if (AccessKeyId === undefined || SecretAccessKey === undefined || SessionToken === undefined)
    throw createError('STACK_ROLE_REFUSED', `AWS returned no credentials for the role ${role}`)
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiresAt: (Expiration?.getTime() ?? clock.now() + sessionMs) as EpochMs,
  }
}

/** Returns the session name that CloudTrail shows: 2 to 64 characters of a restricted set. */
function sessionNameOf(stack: StackId): string {
  return `antichain-${stack.replaceAll(/[^\w+=,.@-]/g, '-')}`.slice(-64)
}
