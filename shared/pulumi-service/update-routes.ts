import { requireSameManager } from './require-same-secrets-provider.ts'
import * as z from 'zod'
import { readHistoryRecord } from '../engine/deployment/retention/read-history-and-versions.ts'
import { createError, hasCode } from '../errors/error.ts'
import { decodeEntry } from '../journal/entry.ts'
import type { EpochMs } from '../records/ids.ts'
import type { JsonObject } from '../values/value-codec.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { requireRole } from '../api/authorization.ts'
import {
  cancelClientDeployment,
  clientLogOf,
  completeClientDeployment,
  renewClientLease,
  startClientDeployment,
} from './client-deployment.ts'
import {
  type ClientUpdate,
  changeUpdate,
  leaseHashOf,
  leaseMs,
  createLeaseOverError,
  putDeploymentUpdate,
  putUpdate,
  requireUpdate,
  type StoredUpdate,
  updateKinds,
  type UpdateKind,
} from './client-update.ts'
import { findAttachedPolicies } from '../runtime/policy-packs/attached-policies.ts'
import { parseEngineDeployment, statusOf, stopEngineDeployment } from './deployment-updates.ts'
import { requireTagPermission } from '../api/require-policy-permission.ts'
import { requireNoApprovalRule } from '../runtime/approvals/approval-rule.ts'
import { stackOf } from '../api/define-route.ts'
import {
  type LeasedCall,
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  stackPath,
  updatePath,
} from './service-route.ts'
import { putTags, tagsForm } from '../triggers/stack-tags.ts'
import { createRecordForm } from '../values/record-form.ts'

const createForm = z.looseObject({
  options: z.looseObject({ dryRun: z.boolean().nullish() }).nullish(),
  config: createRecordForm(z.looseObject({})).nullish(),
  metadata: z
    .looseObject({
      message: z.string().nullish(),
      environment: createRecordForm(z.string()).nullish(),
    })
    .nullish(),
})

const startForm = z.looseObject({
  tags: tagsForm.nullish(),
  journalVersion: z.number().nullish(),
})

const entriesForm = z.looseObject({ entries: z.array(z.looseObject({})) })
const completeForm = z.looseObject({ status: z.enum(['succeeded', 'failed', 'cancelled']) })

/** Maximum size of an unpacked batch of journal entries. Clients halve a batch that is larger. */
const journalBytesMax = 64 * 1024 * 1024
/** Maximum length of configuration and environment as JSON. Above it, neither is stored. */
const metadataCharsMax = 60 * 1024
const leaseTokenBytes = 32

/** Routes that create, start, complete and cancel updates, renew leases and append entries. */
export const updateRoutes: readonly ServiceRoute[] = [
  ...updateKinds.map(
    (kind): ServiceRoute => ({
      method: 'POST',
      path: `${stackPath}/${kind}`,
      role: 'preview',
      bodyBytesMax: 8 * 1024 * 1024,
      isUnaudited: true,
      run: (ports, call) => createUpdate(ports, call, kind),
    }),
  ),
  {
    method: 'POST',
    path: updatePath,
    role: 'preview',
    run: (ports, call) => startUpdate(ports, call),
  },
  {
    method: 'POST',
    path: `${updatePath}/renew_lease`,
    role: 'lease',
    run: (ports, call) => renewLease(ports, call as LeasedCall),
  },
  {
    method: 'PATCH',
    path: `${updatePath}/journalentries`,
    role: 'lease',
    bodyBytesMax: journalBytesMax,
    run: (ports, call) => appendEntries(ports, call as LeasedCall),
  },
  {
    method: 'POST',
    path: `${updatePath}/complete`,
    role: 'lease',
    run: (ports, call) => completeUpdate(ports, call as LeasedCall),
  },
  {
    method: 'POST',
    path: `${updatePath}/cancel`,
    role: 'deploy',
    run: (ports, call) => cancelUpdate(ports, call),
  },
]

async function createUpdate(
  ports: ServicePorts,
  call: ServiceCall,
  kind: UpdateKind,
): Promise<unknown> {
  const { options, config, metadata } = parseBody(createForm, call)
  const dryRun = kind === 'preview' || options?.dryRun === true
  if (!dryRun) requireRole(call.caller, 'deploy', 'an update')
  const { id: stack } = await requireStack(ports, stackOf(call.params))
  await requireUpdateAllowed(ports, { stack, kind, dryRun })
  const details = { environment: metadata?.environment ?? {}, config: config ?? {} }
  const isTooLarge = JSON.stringify(details).length > metadataCharsMax
  const update: ClientUpdate = {
    stack,
    kind,
    dryRun,
    by: call.caller.name,
    createdAt: ports.clock.now(),
    message: (metadata?.message ?? '').slice(0, 1_000),
    ...(isTooLarge ? {} : details),
  }
  const id = ports.random.uuid()
  await putUpdate(ports, { id, version: 0, update })
  return { updateID: id, messages: [], aiSettings: { copilotIsEnabled: false } }
}

async function startUpdate(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { tags, journalVersion } = parseBody(startForm, { body: call.body ?? {} })
  const stack = stackOf(call.params)
  const storedUpdate = await requireUpdate(ports, stack, call.params['update'] ?? '')
  if (!storedUpdate.update.dryRun) requireRole(call.caller, 'deploy', 'an update')
  await requireUpdateAllowed(ports, { ...storedUpdate.update, stack })
  if (tags != null && !storedUpdate.update.dryRun)
    await requireTagPermission(ports, { caller: call.caller, stack, tags })
  if (storedUpdate.update.lease !== undefined)
    throw createError('REQUEST_BEGUN', 'the update was already started')
  const token = Buffer.from(ports.random.bytes(leaseTokenBytes)).toString('base64url')
  const expiresAt = ports.clock.now() + leaseMs
  const hasJournal = (journalVersion ?? 0) >= 1
  // The first of two concurrent starts claims the update.
  const claimedUpdate = await putUpdate(ports, {
    ...storedUpdate,
    update: {
      ...storedUpdate.update,
      lease: leaseHashOf(token),
      expiresAt,
      ...(hasJournal ? {} : { sendsCheckpoints: true }),
    },
  })
  const version = storedUpdate.update.dryRun
    ? (await requireStack(ports, stack)).version
    : await startClaimedUpdate(ports, claimedUpdate)
  if (tags != null && !storedUpdate.update.dryRun) await putTags(ports, stack, tags)
  const lease = { token, tokenExpiration: Math.floor(expiresAt / 1_000) }
  return { version, ...lease, journalVersion: hasJournal ? 1 : 0 }
}

/**
 * Starts the deployment of an update. If the stack is busy, removes the lease, so that the update
 * can be started again.
 */
async function startClaimedUpdate(
  ports: ServicePorts,
  claimedUpdate: StoredUpdate,
): Promise<number> {
  try {
    const { deployment, version } = await startClientDeployment(ports, claimedUpdate)
    await putDeploymentUpdate(ports, deployment, claimedUpdate.id)
    await changeUpdate(ports, claimedUpdate, update => ({ ...update, deployment }))
    return version
  } catch (thrown) {
    if (hasCode(thrown, 'STACK_BUSY'))
      await changeUpdate(ports, claimedUpdate, ({ lease: _lease, ...update }) => update)
    throw thrown
  }
}

async function renewLease(ports: ServicePorts, call: LeasedCall): Promise<unknown> {
  const { update: storedUpdate } = call
  const expiresAt = storedUpdate.update.dryRun
    ? await renewDryRun(ports, storedUpdate)
    : await renewClientLease(ports, storedUpdate)
  return { token: call.leaseToken, tokenExpiration: Math.floor(expiresAt / 1_000) }
}

async function renewDryRun(ports: ServicePorts, storedUpdate: StoredUpdate): Promise<EpochMs> {
  const expiresAt = (ports.clock.now() + leaseMs) as EpochMs
  await changeUpdate(ports, storedUpdate, update => ({ ...update, expiresAt }))
  return expiresAt
}

async function appendEntries(ports: ServicePorts, call: LeasedCall): Promise<unknown> {
  const { entries } = parseBody(entriesForm, call)
  // An acknowledged entry is always part of the fold, so a malformed one is refused here.
  const decodedEntries = entries.map(decodeEntry)
  await requireSameManager(ports, stackOf(call.params), decodedEntries)
  if (entries.length > 0)
    await ports.clientLogs.append(clientLogOf(call.update), [
      { kind: 'client-entries', entries: entries as unknown as readonly JsonObject[] },
    ])
  return {}
}

async function completeUpdate(ports: ServicePorts, call: LeasedCall): Promise<unknown> {
  const { update: storedUpdate } = call
  const { status } = parseBody(completeForm, call)
  const result = status === 'succeeded' ? 'succeeded' : 'failed'
  if (storedUpdate.update.status !== undefined) {
    if (storedUpdate.update.status === result) return {}
    throw createError(
      'REQUEST_BEGUN',
      `the update was already completed as ${storedUpdate.update.status}`,
    )
  }
  if (!storedUpdate.update.dryRun) await completeStartedUpdate(ports, storedUpdate, result)
  await changeUpdate(ports, storedUpdate, update => ({ ...update, status: result }))
  return {}
}

/** Closes a started update. Another process may have closed it with the same result before. */
async function completeStartedUpdate(
  ports: ServicePorts,
  storedUpdate: StoredUpdate,
  result: 'succeeded' | 'failed',
): Promise<void> {
  try {
    await completeClientDeployment(ports, storedUpdate, result)
  } catch (thrown) {
    const { deployment } = storedUpdate.update
    if (!hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || deployment === undefined) throw thrown
    const record = await readHistoryRecord(ports.catalog, deployment)
    if (record?.result !== result) throw createLeaseOverError()
  }
}

async function cancelUpdate(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const stack = stackOf(call.params)
  const id = call.params['update'] ?? ''
  const engineDeployment = parseEngineDeployment(stack, id)
  if (engineDeployment !== undefined) {
    await stopEngineDeployment(ports, stack, engineDeployment)
    return {}
  }
  const { update } = await requireUpdate(ports, stack, id)
  const { deployment } = update
  if (deployment === undefined)
    throw createError('REQUEST_BEGUN', 'the update is a preview, or has not started')
  const record = await requireStack(ports, stack)
  if (record.current === deployment) {
    await cancelClientDeployment(ports, deployment)
    return {}
  }
  const historyRecord = await readHistoryRecord(ports.catalog, deployment)
  if (historyRecord !== undefined && statusOf(historyRecord) === 'cancelled') return {}
  throw createError('REQUEST_BEGUN', 'the update is already over')
}

/**
 * Requires that the engine of a client may run an update of a stack. This installation cannot
 * enforce approvals and attached policy packs in such an update. Throws APPROVAL_REQUIRED and
 * POLICY_PACKS_REQUIRED.
 */
async function requireUpdateAllowed(
  ports: ServicePorts,
  { stack, kind, dryRun }: Pick<ClientUpdate, 'stack' | 'kind' | 'dryRun'>,
): Promise<void> {
  if (!dryRun) await requireNoApprovalRule(ports.documents, stack)
  if (kind !== 'update' && kind !== 'preview') return
  const [policy] = await findAttachedPolicies(ports, stack)
  if (policy === undefined) return
  throw createError(
    'POLICY_PACKS_REQUIRED',
    `the policy pack '${policy.name}' is attached to the stack '${stack}', and an update by this client would not run it`,
  )
}
