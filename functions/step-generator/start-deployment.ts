import { limits } from '../../shared/config/limits.ts'
import type { DeploymentStart, StackRecord } from '../../shared/ports/catalog.ts'
import { claimOfTargets } from '../../shared/engine/deployment/claims/claim-of-targets.ts'
import { findSharedTargeting } from '../../shared/engine/deployment/claims/shared-targeting.ts'
import {
  encodeClaim,
  findClaimConflict,
} from '../../shared/engine/deployment/claims/stored-claims.ts'
import { claimWrites } from './claim-writes.ts'
import type { DeploymentId, LogNumber, WriterToken } from '../../shared/records/ids.ts'
import { createError } from '../../shared/errors/error.ts'
import { type Base, createBase } from '../../shared/engine/deployment/state/base.ts'
import { finishClose } from '../../shared/engine/deployment/ownership/finish-close.ts'
import { endStartedRequest } from '../../shared/engine/deployment/ownership/end-started-request.ts'
import type { EarlierRuns } from '../../shared/engine/deployment/log/read-earlier-runs.ts'
import {
  deriveDeploymentTrace,
  toTraceField,
} from '../../shared/engine/telemetry/deployment-trace.ts'
import { createLiveness, type Liveness } from '../../shared/engine/deployment/ownership/liveness.ts'
import type { Pin } from '../../shared/engine/deployment/log/log-view.ts'
import { createLogWriter, type LogWriter } from '../../shared/engine/deployment/log/log-writer.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { readHolderStatus } from '../../shared/engine/deployment/ownership/holder-status.ts'
import {
  createBusyError,
  requireWaitingRequest,
} from '../../shared/engine/deployment/ownership/stack-busy.ts'
import { closeUnlessTakenOver } from '../../shared/engine/deployment/ownership/take-over.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import {
  type DeploymentOptions,
  type ProgramLocation,
  rulesVersion,
  firstEpoch,
} from '../../shared/records/log.ts'
import type { HandOver } from '../../shared/records/pool.ts'
import { decodeSnapshot } from '../../shared/state/snapshot-codec.ts'
import { requireNoMissingApproval } from '../../shared/runtime/approvals/approval-rule.ts'
import { prepareBase } from './prepare-base.ts'
import { requireValidState } from './require-valid-state.ts'
import { createDeploymentStart } from './create-deployment-start.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** A deployment whose log this process holds. */
export interface StartedDeployment {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly liveness: Liveness
  readonly pin: Pin
  readonly base: Base
  /** An interrupted deployment that was closed before this deployment started. */
  readonly closedDeployment?: DeploymentId
  /** Messages for the user: about late outcomes in the base, and resources of another stack. */
  readonly notices: readonly string[]
  /** The results of earlier generator runs. Absent in the first run. */
  readonly earlierRuns?: EarlierRuns
  /** The hand-over by the previous generator run. Absent after a crash, and in the first run. */
  readonly handedOver?: HandOver
}

/** Pause between two attempts to start a deployment on a busy stack, in ms. */
const waitPollMs = 500

/**
 * Starts the stack's next deployment, and closes an interrupted one first. Every deployment of this
 * engine starts here. Throws APPROVAL_REQUIRED and STACK_NOT_FOUND. Throws STACK_BUSY if the
 * request was served already, or if a living deployment holds the stack and the request does not
 * wait.
 */
export async function startDeployment(
  ports: GeneratorPorts,
  request: DeployInput,
): Promise<StartedDeployment> {
  await requireNoMissingApproval(ports.documents, request)
  const deploymentStart = createDeploymentStart(request)
  let closedDeployment: DeploymentId | undefined
  for (;;) {
    // `pinDeployment` checks again. This first check mostly avoids an empty deployment.
    await requireWaitingRequest(ports, request)
    const startResult = await writeStart(ports, request, deploymentStart)
    if (startResult.kind === 'started') {
      ports.ownDeployments?.add(startResult.deployment)
      try {
        const startedDeployment = await pinDeployment(ports, request, startResult.deployment)
        return closedDeployment === undefined
          ? startedDeployment
          : { ...startedDeployment, closedDeployment }
      } catch (thrown) {
        ports.ownDeployments?.delete(startResult.deployment)
        throw thrown
      }
    }
    const holderStatus = await readHolderStatus(ports, startResult.deployment)
    if (holderStatus.kind === 'dead') {
      await closeUnlessTakenOver(ports, startResult.deployment)
      closedDeployment = startResult.deployment
    } else if (holderStatus.kind === 'held' && !request.wait)
      throw await createBusyError(ports, startResult.deployment, {
        holder: holderStatus.holder,
        ...(startResult.urn === undefined ? {} : { urn: startResult.urn }),
      })
    else await ports.clock.sleep(waitPollMs)
  }
}

/** The result of a start. `urn`: for `busy`, the resource that the other deployment claims. */
interface StartResult {
  readonly kind: 'started' | 'busy'
  readonly deployment: DeploymentId
  readonly urn?: string
}

/**
 * Starts the next deployment in the catalog. Targeted deployments of a stack may run at the same
 * time.
 */
async function writeStart(
  ports: GeneratorPorts,
  request: DeployInput,
  deploymentStart: Omit<DeploymentStart, 'at'>,
): Promise<StartResult> {
  const { stack } = request
  const targeting = findSharedTargeting(request)
  if (targeting === undefined)
    return ports.catalog.start(stack, { ...deploymentStart, at: ports.clock.now() })
  for (let tries = 0; tries < limits.claimAttemptsMax; tries += 1) {
    const record = await ports.catalog.getStack(stack)
    if (record === undefined)
      throw createError('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
    const stored = await readSnapshotBlob(ports.blobs, record.snapshot)
    const claim = claimOfTargets(stored, targeting)
    const conflict = await findClaimConflict(ports.blobs, record, { claim })
    if (conflict !== undefined) return { kind: 'busy', ...conflict }
    const deadDeployment = await findDeadWhenFull(ports, record)
    if (deadDeployment !== undefined) return { kind: 'busy', deployment: deadDeployment }
    const start = { ...deploymentStart, at: ports.clock.now() }
    const storedClaim = { claim: await ports.blobs.put(encodeClaim(claim)), expected: record }
    const result = await ports.catalog.startTargeted(stack, start, storedClaim)
    if (result.kind !== 'changed') return result
  }
  throw createError('STORE_UNAVAILABLE', 'gave up starting: the stack was changed concurrently')
}

/** Finds an interrupted deployment when the stack has the maximum number of open deployments. */
async function findDeadWhenFull(
  ports: GeneratorPorts,
  { targeted = [] }: StackRecord,
): Promise<DeploymentId | undefined> {
  if (targeted.length < limits.openDeploymentsMax) return undefined
  for (const { deployment } of targeted)
    if ((await readHolderStatus(ports, deployment)).kind === 'dead') return deployment
  return undefined
}

async function pinDeployment(
  ports: GeneratorPorts,
  request: DeployInput,
  deployment: DeploymentId,
): Promise<StartedDeployment> {
  await ports.control.create(deployment, ports.holder)
  const record = await ports.catalog.getStack(request.stack)
  if (record === undefined)
    throw createError('STACK_NOT_FOUND', `the stack '${request.stack}' does not exist`)
  const writer = createLogWriter(ports, {
    deployment,
    writer: ports.random.uuid() as WriterToken,
    nextNumber: 0 as LogNumber,
  })
  const liveness = createLiveness(ports, deployment)
  await writer.append({ kind: 'takeover', holder: ports.holder })
  const sharedClaim = record.targeted?.find(open => open.deployment === deployment)?.claim
  try {
    await requireWaitingRequest(ports, request)
    const stored = await readSnapshotBlob(ports.blobs, record.snapshot)
    requireValidState(stored)
    const preparedBase = await prepareBase(ports, request, {
      hash: record.snapshot,
      stored,
      sharedClaim,
    })
    const { inbox, notices } = preparedBase
    const { type, state } = request.secrets
    const pin: Pin = {
      kind: 'pin',
      epoch: firstEpoch,
      version: record.version,
      base: preparedBase.hash,
      rules: rulesVersion,
      options: await resolveOptions(ports, request),
      program: request.programDigest,
      place: programLocationOf(request.source),
      secrets: { type, state },
      inbox,
      ...(request.key === undefined ? {} : { request: request.key }),
      ...traceFieldOf(ports, deployment),
      ...(sharedClaim === undefined ? {} : { published: record.snapshot }),
    }
    // The base is decoded before the pin is appended. If a secret or value of the base is damaged,
    // the log therefore has no pin, and nothing is folded.
    const base = createBase(await decodeSnapshot(preparedBase.base, request.secrets), firstEpoch)
    await writer.append(pin)
    if (inbox.length > 0) await ports.catalog.removeLateOutcomes(request.stack, inbox)
    await endStartedRequest(ports, deployment, pin)
    const claimingWriter = await claimWrites(ports, writer, { deployment, pin })
    return { deployment, writer: claimingWriter, liveness, pin, base, notices }
  } catch (thrown) {
    // No operation was decided, so the deployment is closed and the stack is released.
    await writer.append({ kind: 'closing', result: 'failed' })
    await finishClose(ports, deployment, { liveness, changes: {} })
    throw thrown
  }
}

/** Returns the field of the pin by which other processes join the trace of the deployment. */
function traceFieldOf({ telemetry }: GeneratorPorts, deployment: DeploymentId): Pick<Pin, 'trace'> {
  const start = telemetry.startTrace()
  return start === undefined
    ? {}
    : { trace: toTraceField(deriveDeploymentTrace(deployment, start)) }
}

/**
 * Returns the options of the deployment. Stores an update plan as a blob, so that every generator
 * run of the deployment can read it.
 */
async function resolveOptions(
  { blobs }: GeneratorPorts,
  { options, updatePlan }: DeployInput,
): Promise<DeploymentOptions> {
  if (updatePlan === undefined) return options
  return { ...options, plan: await blobs.put(Buffer.from(updatePlan)) }
}

function programLocationOf({
  projectFolder: root,
  configFile,
  archive,
}: DeployInput['source']): ProgramLocation {
  const config = configFile === undefined ? {} : { configFile }
  // The unpacked location has no meaning for other processes.
  return archive === undefined ? { root, ...config } : { root: '', ...config, archive }
}
