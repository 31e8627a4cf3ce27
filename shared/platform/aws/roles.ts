import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts'
import { externalIdOf } from '../../config/aws-resource-names.ts'
import { error, hasCode, messageOf } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { withAwsErrors } from './aws-error.ts'

/** Credentials of a role, for an hour. */
export interface AssumedRole {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly expiresAt: EpochMs
}

/** The longest session of a role that another one takes on; functions live a quarter of it. */
const sessionMs = 3_600_000
/** Credentials that end sooner than this are not given out again while others can be had, in ms. */
const reserveMs = 20 * 60_000

/**
 * Takes on roles of stacks, each once in its time, however many ask at once. The external id names
 * installation and stack, so that the owner of a role decides which stack may use it. Throws
 * STACK_ROLE_REFUSED, and for what is the service's affair what `awsFailure` says; not while what
 * it gave before still lasts.
 */
export function createRoleAssumer(deps: {
  readonly sts: Pick<STSClient, 'send'>
  readonly installation: string
  readonly clock: Pick<ClockPort, 'now'>
}): (role: string, stack: StackId) => Promise<AssumedRole> {
  const { clock } = deps
  const known = new Map<string, AssumedRole>()
  const pending = new Map<string, Promise<AssumedRole>>()
  const renewCredentials = async (role: string, stack: StackId): Promise<AssumedRole> => {
    const name = `${role} ${stack}`
    try {
      const taken = await assumeRole(deps, role, stack)
      known.set(name, taken)
      return taken
    } catch (thrown) {
      const before = known.get(name)
      if (before === undefined || before.expiresAt <= clock.now()) throw thrown
      return before
    } finally {
      pending.delete(name)
    }
  }
  return (role, stack) => {
    const name = `${role} ${stack}`
    const before = known.get(name)
    if (before !== undefined && before.expiresAt - reserveMs > clock.now())
      return Promise.resolve(before)
    const pendingRole = pending.get(name) ?? renewCredentials(role, stack)
    pending.set(name, pendingRole)
    return pendingRole
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
    const why = `the role ${role} refuses the stack ${stack}, whose external id is '${externalId}'`
    throw error('STACK_ROLE_REFUSED', `${why}: ${messageOf(thrown)}`, { cause: thrown })
  })
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = credentials ?? {}
  if (AccessKeyId === undefined || SecretAccessKey === undefined || SessionToken === undefined)
    throw error('STACK_ROLE_REFUSED', `the role ${role} was given without credentials`)
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiresAt: (Expiration?.getTime() ?? clock.now() + sessionMs) as EpochMs,
  }
}

/** Who did something, as CloudTrail shows it: 2 to 64 characters of a small set. */
function sessionNameOf(stack: StackId): string {
  return `antichain-${stack.replaceAll(/[^\w+=,.@-]/g, '-')}`.slice(-64)
}
