import { finishClose } from '../engine/deployment/ownership/finish-close.ts'
import { readHolderStatus } from '../engine/deployment/ownership/holder-status.ts'
import { createLiveness } from '../engine/deployment/ownership/liveness.ts'
import { createBusyError } from '../engine/deployment/ownership/stack-busy.ts'
import {
  closeStoppedDeployment,
  closeUnlessTakenOver,
} from '../engine/deployment/ownership/take-over.ts'
import { readLogView } from '../engine/deployment/log/log-view.ts'
import { createError, hasCode } from '../errors/error.ts'
import type { StackRecord } from '../ports/catalog.ts'
import { listOpenDeployments } from '../ports/open-deployments.ts'
import type { DeploymentId, EpochMs, StackId } from '../records/ids.ts'
import {
  type Command,
  type Decision,
  firstEpoch,
  type Holder,
  rulesVersion,
} from '../records/log.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { leaseMs, type StoredUpdate, type UpdateKind } from './client-update.ts'
import { type ClientLog, writerOf } from './client-logs.ts'
import type { ServicePorts } from './service-route.ts'

/** The host of a holder that is a client of Pulumi. No machine has this name. */
const clientHost = 'a client of Pulumi'

/** Returns the command of an update, as the history shows it. */
function commandOf(kind: UpdateKind): Command {
  return kind === 'refresh' || kind === 'destroy' ? kind : 'up'
}

/** Returns the client as a holder. The id of the update takes the place of a start time. */
function holderOf(ports: ServicePorts, { id, update }: StoredUpdate): Holder {
  const command = commandOf(update.kind)
  return {
    host: clientHost,
    pid: 0,
    started: id,
    who: `${update.by}: pulumi ${command}`.slice(0, 200),
    expiresAt: (ports.clock.now() + leaseMs) as EpochMs,
  }
}

/** A deployment of a client, and the version that its close will publish. */
interface ClientDeployment {
  readonly deployment: DeploymentId
  readonly version: number
}

/**
 * Starts the deployment of a client, and pins its base. Closes a dead deployment first. Throws
 * STACK_NOT_FOUND, and STACK_BUSY with the living holder of the stack.
 */
export async function startClientDeployment(
  ports: ServicePorts,
  storedUpdate: StoredUpdate,
): Promise<ClientDeployment> {
  const { closing, catalog, clock } = ports
  const { stack, kind, message, by } = storedUpdate.update
  for (;;) {
    const holder = holderOf(ports, storedUpdate)
    const command = commandOf(kind)
    const start = { command, message, by: `${by} (pulumi)`, at: clock.now() }
    const { kind: startKind, deployment } = await catalog.start(stack, start)
    if (startKind === 'started') return pinBase(ports, { deployment, storedUpdate, holder })
    const status = await readHolderStatus(closing, deployment)
    if (status.kind === 'held')
      throw await createBusyError(ports, deployment, { holder: status.holder })
    if (status.kind === 'dead') await closeUnlessTakenOver(closing, deployment)
  }
}

/**
 * Closes those open deployments of a stack that have a dead holder, and returns the record of the
 * stack. The nudge that makes a generator close them may not have been served yet. Throws
 * STACK_NOT_FOUND.
 */
export async function closeDeadDeployments(
  ports: ServicePorts,
  stack: StackId,
): Promise<StackRecord> {
  const record = await requireStack(ports, stack)
  let hasClosed = false
  for (const deployment of listOpenDeployments(record)) {
    const { kind } = await readHolderStatus(ports.closing, deployment)
    if (kind !== 'dead') continue
    await closeUnlessTakenOver(ports.closing, deployment)
    hasClosed = true
  }
  return hasClosed ? requireStack(ports, stack) : record
}

/** Records the holder and the base of a deployment that just started. */
async function pinBase(
  ports: ServicePorts,
  options: {
    readonly deployment: DeploymentId
    readonly storedUpdate: StoredUpdate
    readonly holder: Holder
  },
): Promise<ClientDeployment> {
  const { deployment, storedUpdate, holder } = options
  await ports.control.create(deployment, holder)
  const record = await ports.catalog.getStack(storedUpdate.update.stack)
  if (record === undefined)
    throw createError('STACK_NOT_FOUND', 'the stack was removed concurrently')
  const log: ClientLog = { deployment, update: storedUpdate.id }
  await ports.clientLogs.append(log, [{ kind: 'takeover', holder }, pinOf(record, storedUpdate)])
  return { deployment, version: record.version + 1 }
}

function pinOf({ version, snapshot }: StackRecord, { id, update }: StoredUpdate): Decision {
  return {
    kind: 'pin',
    epoch: firstEpoch,
    version,
    base: snapshot,
    rules: rulesVersion,
    options: {
      command: commandOf(update.kind),
      message: update.message,
      execute: 'here',
      parallel: 1,
      refresh: false,
      continueOnError: false,
    },
    // The client has the program and the keys, so nothing here depends on the next three fields.
    program: '',
    place: { root: '' },
    secrets: { type: '', state: {} },
    inbox: [],
    client: { update: id },
  }
}

/** Returns the log of an update. Throws API_FORBIDDEN for a dry run, which has none. */
export function clientLogOf({ id, update }: StoredUpdate): ClientLog {
  if (update.deployment === undefined)
    throw createError('API_FORBIDDEN', 'a preview changes no state, so it has no journal')
  return { deployment: update.deployment, update: id }
}

/**
 * Renews the lease of a started update, and returns the time at which the lease ends. The renewal
 * is a take-over by the same holder, so the log refuses it after another process has taken over.
 */
export async function renewClientLease(
  ports: ServicePorts,
  storedUpdate: StoredUpdate,
): Promise<EpochMs> {
  const log = clientLogOf(storedUpdate)
  const holder = holderOf(ports, storedUpdate)
  const number = await ports.clientLogs.append(log, [{ kind: 'takeover', holder }])
  await ports.control.hold(log.deployment, holder, number)
  return holder.expiresAt ?? (0 as EpochMs)
}

/**
 * Closes the deployment of a client with the result that the client reported. A repeated call with
 * the same result continues where the close stopped, even in another process of the API. Throws
 * DEPLOYMENT_TAKEN_OVER when another writer has taken over or closed the deployment.
 */
export async function completeClientDeployment(
  ports: ServicePorts,
  storedUpdate: StoredUpdate,
  result: 'succeeded' | 'failed',
): Promise<void> {
  const log = clientLogOf(storedUpdate)
  try {
    await ports.clientLogs.append(log, [{ kind: 'closing', result }])
  } catch (thrown) {
    if (!hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') || !(await isClosingAs(ports, log, result)))
      throw thrown
  }
  const liveness = createLiveness(ports.closing, log.deployment)
  const changes = storedUpdate.update.changes ?? {}
  await finishClose(ports.closing, log.deployment, { liveness, changes })
}

/** Reports whether the client itself has begun to close its log with this result. */
async function isClosingAs(
  { decisionLog, blobs }: ServicePorts,
  log: ClientLog,
  result: 'succeeded' | 'failed',
): Promise<boolean> {
  const { records } = await readLogView({ decisionLog, blobs }, log.deployment)
  const last = records.at(-1)
  return (
    last?.writer === writerOf(log) &&
    last.decisions.some(decision => decision.kind === 'closing' && decision.result === result)
  )
}

/**
 * Closes the deployment of a client at the request of a user. Every acknowledged entry is in the
 * published state. Throws DEPLOYMENT_TAKEN_OVER when the deployment is closed already.
 */
export async function cancelClientDeployment(
  { closing }: ServicePorts,
  deployment: DeploymentId,
): Promise<void> {
  await closing.control.stop(deployment, 'graceful')
  await closeStoppedDeployment(closing, deployment)
}
