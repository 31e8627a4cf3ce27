import { createHash } from 'node:crypto'
import * as z from 'zod'
import { createError } from '../errors/error.ts'
import { parseEnvelope } from '../state/stream/parse-envelope.ts'
import { printStateBlob } from '../state/print-envelope.ts'
import type { StoredEnvelope } from '../state/stored.ts'
import { findFieldText } from '../values/json-field-text.ts'
import { applyEdits, editForm } from './apply-edits.ts'
import { type DeltaBase, putCheckpointBase, readCheckpointBase } from './delta-base.ts'
import { clientLogOf } from './client-deployment.ts'
import {
  type LeasedCall,
  parseBody,
  type ServicePorts,
  type ServiceRoute,
  updatePath,
} from './service-route.ts'

/** Maximum size of an unpacked checkpoint: a whole state. */
const checkpointBytesMax = 512 * 1024 * 1024

const sequenceForm = z.int().positive()
const verbatimForm = z.looseObject({
  untypedDeployment: z.looseObject({}),
  sequenceNumber: sequenceForm,
})
const deltaForm = z.looseObject({
  checkpointHash: z.string().regex(/^[0-9a-f]{64}$/),
  sequenceNumber: sequenceForm,
  deploymentDelta: z.array(editForm).nullish(),
})

/** Routes for the states that a client without a journal sends after each step. */
export const checkpointRoutes: readonly ServiceRoute[] = [
  {
    method: 'PATCH',
    path: `${updatePath}/checkpoint`,
    role: 'lease',
    hasStateBody: true,
    bodyBytesMax: checkpointBytesMax,
    run: (ports, call) => appendCheckpoint(ports, call as LeasedCall),
  },
  {
    method: 'PATCH',
    path: `${updatePath}/checkpointverbatim`,
    role: 'lease',
    bodyBytesMax: checkpointBytesMax,
    run: (ports, call) => appendVerbatim(ports, call as LeasedCall),
  },
  {
    method: 'PATCH',
    path: `${updatePath}/checkpointdelta`,
    role: 'lease',
    bodyBytesMax: checkpointBytesMax,
    run: (ports, call) => appendDelta(ports, call as LeasedCall),
  },
]

/**
 * Stores a whole state as this engine prints it. No delta refers to these bytes. Throws
 * STATE_INVALID for an empty body, and for one without a deployment, which clients never send.
 */
async function appendCheckpoint(ports: ServicePorts, call: LeasedCall): Promise<unknown> {
  const { state } = call
  if (state === undefined) throw createError('STATE_INVALID', 'a checkpoint needs a state')
  requireDeployment(state)
  const log = clientLogOf(call.update)
  // `isInvalid` belongs to the request, and not to its state.
  const { isInvalid: _isInvalid, ...envelope }: StoredEnvelope & { isInvalid?: unknown } = state
  const snapshot = await ports.closing.blobs.put(await printStateBlob(envelope))
  await ports.clientLogs.append(log, [{ kind: 'client-checkpoint', snapshot }])
  return {}
}

/** Stores the bytes of a whole state. The next delta refers to them. */
async function appendVerbatim(ports: ServicePorts, call: LeasedCall): Promise<unknown> {
  const { sequenceNumber } = parseBody(verbatimForm, call)
  const base = await readCheckpointBase(ports, call.update.id)
  refuseOlderNumber(base, sequenceNumber)
  const text = findFieldText(call.text, 'untypedDeployment') ?? ''
  return appendBytes(ports, call, { bytes: Buffer.from(text, 'utf8'), sequenceNumber })
}

/**
 * Applies edits to the last checkpoint, and stores the result. Throws API_INPUT_INVALID if the hash
 * of the result is not the one that the client names. The client then sends the whole state under
 * the same number.
 */
async function appendDelta(ports: ServicePorts, call: LeasedCall): Promise<unknown> {
  const { checkpointHash, sequenceNumber, deploymentDelta } = parseBody(deltaForm, call)
  const base = await readCheckpointBase(ports, call.update.id)
  refuseOlderNumber(base, sequenceNumber)
  if (base === undefined)
    throw createError('API_INPUT_INVALID', 'a delta needs an earlier checkpoint of the same update')
  // The call is a repetition: its own result is the base already.
  if (base.sequenceNumber === sequenceNumber && base.snapshot === checkpointHash) return {}
  const baseBytes = await ports.closing.blobs.get(base.snapshot)
  const bytes = applyEdits(baseBytes, deploymentDelta ?? [], checkpointBytesMax)
  if (createHash('sha256').update(bytes).digest('hex') !== checkpointHash)
    throw createError(
      'API_INPUT_INVALID',
      'the edited checkpoint has another hash than the delta names',
    )
  return appendBytes(ports, call, { bytes, sequenceNumber })
}

/** Throws API_INPUT_INVALID for a number below that of the last checkpoint. */
function refuseOlderNumber(base: DeltaBase | undefined, sequenceNumber: number): void {
  if (base === undefined || sequenceNumber >= base.sequenceNumber) return
  throw createError(
    'API_INPUT_INVALID',
    `the checkpoint has the number ${sequenceNumber}, and the last one had ${base.sequenceNumber}`,
  )
}

/** Stores the bytes of a state, then the record, then the base of the next delta. */
async function appendBytes(
  ports: ServicePorts,
  call: LeasedCall,
  { bytes, sequenceNumber }: { readonly bytes: Uint8Array; readonly sequenceNumber: number },
): Promise<unknown> {
  const log = clientLogOf(call.update)
  requireDeployment(await parseEnvelope(bytes))
  const snapshot = await ports.closing.blobs.put(bytes)
  await ports.clientLogs.append(log, [{ kind: 'client-checkpoint', snapshot, sequenceNumber }])
  await putCheckpointBase(ports, call.update.id, { snapshot, sequenceNumber })
  return {}
}

/** Throws STATE_INVALID for a checkpoint with which the stack would lose its state. */
function requireDeployment({ deployment }: StoredEnvelope): void {
  if (deployment === null) throw createError('STATE_INVALID', 'a checkpoint needs a deployment')
}
