import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts'
import { externalIdOf } from '../../config/aws-places.ts'
import { error } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { guarded } from './failures.ts'

/** Credentials of a role, for an hour. */
export interface AssumedRole {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly expiresAt: EpochMs
}

/** The longest session of a role that another one takes on; functions live a quarter of it. */
const sessionSeconds = 3_600
/** Credentials that end sooner than this are not given out again, in ms. */
const reserveMs = 20 * 60_000

/**
 * Takes on roles of stacks, each once in its time. The external id names installation and stack, so
 * that the owner of a role decides which stack may use it. Throws what `awsFailure` says.
 */
export function createRoles(deps: {
  readonly sts: Pick<STSClient, 'send'>
  readonly installation: string
  readonly clock: Pick<ClockPort, 'now'>
}): (role: string, stack: StackId) => Promise<AssumedRole> {
  const { sts, installation, clock } = deps
  const known = new Map<string, { readonly until: number; readonly role: AssumedRole }>()
  return async (role, stack) => {
    const name = `${role} ${stack}`
    const before = known.get(name)
    if (before !== undefined && before.until > clock.now()) return before.role
    const command = new AssumeRoleCommand({
      RoleArn: role,
      RoleSessionName: sessionName(stack),
      ExternalId: externalIdOf(installation, stack),
      DurationSeconds: sessionSeconds,
    })
    const { Credentials: given } = await guarded(`role ${role}: assume`, () => sts.send(command))
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = given ?? {}
    if (AccessKeyId === undefined || SecretAccessKey === undefined || SessionToken === undefined)
      throw error('AWS_SETTINGS_INVALID', `the role ${role} was given without credentials`)
    const assumed = {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      expiresAt: (Expiration?.getTime() ?? clock.now() + sessionSeconds * 1_000) as EpochMs,
    }
    known.set(name, { until: clock.now() + sessionSeconds * 1_000 - reserveMs, role: assumed })
    return assumed
  }
}

/** Who did something, as CloudTrail shows it: 2 to 64 characters of a small set. */
function sessionName(stack: StackId): string {
  return `antichain-${stack.replaceAll(/[^\w+=,.@-]/g, '-')}`.slice(-64)
}
