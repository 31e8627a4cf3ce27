import { createHash, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { isLeaseOver } from '../engine/deployment/ownership/holder-status.ts'
import { createError } from '../errors/error.ts'
import type { DocumentKey, DocumentsPort } from '../ports/documents.ts'
import type { ControlPort } from '../ports/records.ts'
import type { ClockPort } from '../ports/system.ts'
import type { DeploymentId, EpochMs, StackId } from '../records/ids.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import { createRecordForm } from '../values/record-form.ts'

/** The kinds of updates that clients create. */
export const updateKinds = ['update', 'preview', 'refresh', 'destroy'] as const

/** The kind of an update. */
export type UpdateKind = (typeof updateKinds)[number]

const clientUpdate = z.object({
  stack: z.string().transform(text => text as StackId),
  kind: z.enum(updateKinds),
  dryRun: z.boolean(),
  /** The name of the token that created the update. */
  by: z.string(),
  createdAt: z.number(),
  message: z.string(),
  /** `environment` and `config` are both absent if together they are too large. */
  environment: createRecordForm(z.string()).optional(),
  config: createRecordForm(z.unknown()).optional(),
  /** The deployment of a started update. Absent for a dry run. */
  deployment: z
    .string()
    .transform(text => text as DeploymentId)
    .optional(),
  /** Whether the client sends checkpoints. Absent: it sends journal entries, or has not started. */
  sendsCheckpoints: z.boolean().optional(),
  /** The hash of the lease token. Absent before the start. */
  lease: z.string().optional(),
  /** For a dry run: the time at which its lease ends. */
  expiresAt: z.number().optional(),
  /** The status that the client reported at the end of the update. */
  status: z.enum(['succeeded', 'failed']).optional(),
  /** The numbers of changed resources by operation. Absent until the client reports its summary. */
  changes: z.record(z.string(), z.number()).optional(),
})

/** An update of a client of Pulumi. */
export type ClientUpdate = z.infer<typeof clientUpdate>

/** A stored update with its id, and the version of its document. */
export interface StoredUpdate {
  readonly id: string
  readonly version: number
  readonly update: ClientUpdate
}

/** Validity of a lease, in ms. Clients assume this duration, and renew when half of it is over. */
export const leaseMs = 300_000

/** Time for which an update that never started, or that is a dry run, is stored. */
const unstartedUpdateMs = 24 * 3_600_000
/** Time for which a started update is stored. Its deployment remains in the history. */
const startedUpdateMs = 400 * 24 * 3_600_000

function keyOf(name: string): DocumentKey {
  return { kind: 'client-update', scope: '*', name }
}

/** Returns the name of the document that stores the update id of a deployment. */
function deploymentNameOf(deployment: DeploymentId): string {
  return `of-${createHash('sha256').update(deployment, 'utf8').digest('hex')}`
}

/** The ports for updates. */
interface UpdatePorts {
  readonly documents: Pick<DocumentsPort, 'get' | 'putExpiring'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** Returns an update of a stack. Throws DEPLOYMENT_UNKNOWN. */
export async function requireUpdate(
  ports: Pick<UpdatePorts, 'documents'>,
  stack: StackId,
  id: string,
): Promise<StoredUpdate> {
  const stored = await findStoredUpdate(ports, stack, id)
  if (stored === undefined) throw createError('DEPLOYMENT_UNKNOWN', 'the stack has no such update')
  return stored
}

/** The form of update ids. Other documents of the kind `client-update` have other names. */
const updateIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns an update of a stack, or undefined if the stack has no such update. */
export async function findStoredUpdate(
  { documents }: Pick<UpdatePorts, 'documents'>,
  stack: StackId,
  id: string,
): Promise<StoredUpdate | undefined> {
  const stored = updateIdPattern.test(id) ? await documents.get(keyOf(id)) : undefined
  if (stored === undefined) return undefined
  const update = parseDocumentValue(clientUpdate, stored)
  return update.stack === stack ? { id, version: stored.version, update } : undefined
}

/** Stores a new or changed update. Throws DOCUMENT_CHANGED after a concurrent change. */
export async function putUpdate(
  { documents, clock }: UpdatePorts,
  { id, version, update }: StoredUpdate,
): Promise<StoredUpdate> {
  const retentionMs = update.deployment === undefined ? unstartedUpdateMs : startedUpdateMs
  const expiresAt = (clock.now() + retentionMs) as EpochMs
  const document = { key: keyOf(id), version, value: update, expiresAt }
  const newVersion = await documents.putExpiring(document)
  if (newVersion === false)
    throw createError('DOCUMENT_CHANGED', 'the update was changed concurrently')
  return { id, version: newVersion, update }
}

/** Changes the current version of an update. Tries at most `changeAttemptsMax` times. */
export async function changeUpdate(
  ports: UpdatePorts,
  { id, update }: Pick<StoredUpdate, 'id' | 'update'>,
  change: (current: ClientUpdate) => ClientUpdate,
): Promise<StoredUpdate> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await requireUpdate(ports, update.stack, id)
    try {
      return await putUpdate(ports, { ...current, update: change(current.update) })
    } catch (thrown) {
      if (attempt >= changeAttemptsMax) throw thrown
    }
  }
}

/** Maximum number of attempts to change an update that other calls change at the same time. */
const changeAttemptsMax = 5

/** Records which update a deployment belongs to. */
export async function putDeploymentUpdate(
  { documents, clock }: UpdatePorts,
  deployment: DeploymentId,
  update: string,
): Promise<void> {
  const expiresAt = (clock.now() + startedUpdateMs) as EpochMs
  const key = keyOf(deploymentNameOf(deployment))
  await documents.putExpiring({ key, version: 0, value: { update }, expiresAt })
}

const deploymentUpdate = z.object({ update: z.string() })

/** Returns the id of the update of a deployment. Undefined for a deployment of this engine. */
export async function findUpdateId(
  { documents }: Pick<UpdatePorts, 'documents'>,
  deployment: DeploymentId,
): Promise<string | undefined> {
  const stored = await documents.get(keyOf(deploymentNameOf(deployment)))
  return stored === undefined ? undefined : parseDocumentValue(deploymentUpdate, stored).update
}

/** Returns the hash of a lease token. */
export function leaseHashOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** Returns the error for a lease that is not valid. Its HTTP status makes clients stop renewing. */
export function createLeaseOverError(): Error {
  return createError(
    'API_FORBIDDEN',
    'the lease of the update has expired, or the update is over',
    {
      hint: 'The acknowledged changes of the update are in the state. Start another update.',
    },
  )
}

/** Throws API_FORBIDDEN unless a token is the lease token of an update. */
export function requireLeaseToken({ update: { lease } }: StoredUpdate, token: string): void {
  const hash = leaseHashOf(token)
  if (lease === undefined || !timingSafeEqual(Buffer.from(lease), Buffer.from(hash)))
    throw createLeaseOverError()
}

/** Throws API_FORBIDDEN unless the lease of an update is still valid. */
export async function requireValidLease(
  { control, clock }: { readonly control: Pick<ControlPort, 'read'>; readonly clock: ClockPort },
  { id, update }: StoredUpdate,
): Promise<void> {
  const now = clock.now()
  if (update.deployment === undefined) {
    if (update.status === undefined && now < (update.expiresAt ?? 0)) return
    throw createLeaseOverError()
  }
  const record = await control.read(update.deployment)
  const isHeld = record?.holder.started === id && !record.closed && !isLeaseOver(record, now)
  if (!isHeld) throw createLeaseOverError()
}
