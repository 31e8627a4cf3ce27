import { createError } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { ControlPort } from '../../../ports/records.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import type { ClockPort } from '../../../ports/system.ts'
import {
  deploymentPartsOf,
  type DeploymentId,
  type StackId,
  stackPartsOf,
} from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'
import { readHistoryRecord } from '../retention/read-history-and-versions.ts'

/**
 * Returns the error for a stack or resource that another deployment holds. The message names the
 * holder, the resource, and the time since the start of the deployment. `holder` is undefined for a
 * deployment that has no control record yet. The SDKs of Pulumi recognize the start of the message
 * as a concurrent update. Source: `IsConcurrentUpdateError` in sdk/go/auto/errors.go of Pulumi
 * 3.274.1.
 */
export async function createBusyError(
  { catalog, clock }: { readonly catalog: CatalogPort; readonly clock: Pick<ClockPort, 'now'> },
  deployment: DeploymentId,
  {
    holder,
    hint,
    urn,
  }: {
    readonly holder: Holder | undefined
    readonly hint?: string
    readonly urn?: string
  },
): Promise<Error> {
  const record = await readHistoryRecord(catalog, deployment)
  const facts = [
    ...(record === undefined ? [] : [`began ${formatAge(clock.now() - record.startedAt)} ago`]),
    holder === undefined ? 'has not ended' : `is held by ${formatHolder(holder)}`,
    ...(urn === undefined ? [] : [`claims '${urn}'`]),
  ]
  return createError(
    'STACK_BUSY',
    `the stack is currently locked by deployment ${deploymentPartsOf(deployment).number}, which ${facts.join(' and ')}`,
    hint === undefined ? {} : { hint },
  )
}

/**
 * Returns the error for an action that requires a stack without an open deployment, and that cannot
 * wait. The message names the holder of the deployment and the time since its start.
 */
export async function createOpenDeploymentError(
  ports: {
    readonly catalog: CatalogPort
    readonly clock: Pick<ClockPort, 'now'>
    readonly control: Pick<ControlPort, 'read'>
  },
  deployment: DeploymentId,
): Promise<Error> {
  const holder = (await ports.control.read(deployment))?.holder
  const hint = 'Wait for the other deployment, or end it with `antichain cancel`.'
  return createBusyError(ports, deployment, { holder, hint })
}

function formatHolder({ who, pid, host, expiresAt }: Holder): string {
  return expiresAt === undefined ? `${who} (process ${pid} on ${host})` : `${who} (${host})`
}

/** Returns a duration as text. The unit changes at two minutes and at two hours. */
function formatAge(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1_000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

/**
 * Throws STACK_BUSY for a request that has ended: another process served the request after this
 * process had read it as waiting. This process already holds the stack, so no other process can end
 * the request after the check.
 */
export async function requireWaitingRequest(
  { requests }: { readonly requests?: Pick<RequestsPort, 'find'> },
  { stack, key }: { readonly stack: StackId; readonly key?: string },
): Promise<void> {
  if (key === undefined || requests === undefined) return
  if ((await requests.find(stack, key))?.end === undefined) return
  throw createError('STACK_BUSY', `another process has served the request '${key}'`)
}

/**
 * Returns the error for an action that a deployment prevented, although the deployment has ended
 * since.
 */
export function createJustEndedError(id: StackId): Error {
  const { stack } = stackPartsOf(id)
  return createError('STACK_BUSY', `a deployment of the stack '${stack}' has just ended`, {
    hint: 'Run the command again.',
  })
}
