import * as z from 'zod'
import { limits } from '../config/limits.ts'
import { createError } from '../errors/error.ts'
import type { StackRecord } from '../ports/catalog.ts'
import type { DocumentKey, StoredDocument } from '../ports/documents.ts'
import type { EpochMs, StackId } from '../records/ids.ts'
import { type DeploymentRequest, isEditRequest, type RequestEnd } from '../records/stack-request.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import { pulumiOperations } from '../triggers/pulumi-operation.ts'
import { readDocumentsOf } from '../triggers/read-documents.ts'
import type { ServicePorts } from './service-route.ts'

const deploymentDocument = z.object({
  /** The time of the request. */
  at: z.number(),
  operation: z.enum(pulumiOperations),
  /** The key of the request. */
  request: z.string(),
  inheritSettings: z.boolean(),
  /** The initiator that the client named. */
  initiator: z.string().optional(),
})

/** The stored part of a deployment of a client. Its request has everything else. */
type DeploymentDocument = z.infer<typeof deploymentDocument>

/** A deployment that a client of Pulumi requested: a request of the stack with a number. */
export interface PulumiDeployment extends Omit<DeploymentDocument, 'request' | 'at'> {
  readonly number: number
  readonly request: DeploymentRequest
  /** The end of the request. Absent while it waits. */
  readonly end?: RequestEnd
}

/** The highest number of a deployment. The id that clients use has at most nine digits. */
const numberMax = 999_999_999
const numberDigits = String(numberMax).length
const idPattern = /^(?:dep-)?([1-9]\d{0,8})$/
/** Maximum number of attempts to take a number that a concurrent call may take first. */
const numberAttemptsMax = 50

/** Returns the id of a deployment, as clients use it. */
export function pulumiDeploymentIdOf({ number }: Pick<PulumiDeployment, 'number'>): string {
  return `dep-${number}`
}

/** Returns the key of a deployment. Later deployments come first in lists. */
function deploymentKeyOf(stack: StackId, number: number): DocumentKey {
  const name = `deployment-${String(numberMax - number).padStart(numberDigits, '0')}`
  return { kind: 'client-update', scope: stack, name }
}

const numberDocument = z.object({ last: z.int() })

/**
 * Takes the next number, which is also higher than `newestNumber`. Returns undefined if a
 * concurrent call took it.
 */
async function takeNumber(
  { documents }: Pick<ServicePorts, 'documents'>,
  stack: StackId,
  newestNumber: number,
): Promise<number | undefined> {
  const key: DocumentKey = { kind: 'stack-settings', scope: stack, name: 'last-deployment' }
  const stored = await documents.get(key)
  const { last } = stored === undefined ? { last: 0 } : parseDocumentValue(numberDocument, stored)
  const number = Math.max(last, newestNumber) + 1
  const version = await documents.put(key, { last: number }, stored?.version ?? 0)
  return version === false ? undefined : number
}

/**
 * Stores a deployment under the next number of its stack, before its request is put. It expires
 * together with the request. A removed stack loses its counter, but not its deployments. So the new
 * number is also higher than that of the newest deployment. Throws DOCUMENT_CHANGED.
 */
export async function addPulumiDeployment(
  ports: Pick<ServicePorts, 'documents'>,
  { stack, key: request, at }: Pick<DeploymentRequest, 'stack' | 'key' | 'at'>,
  fields: Omit<DeploymentDocument, 'request' | 'at'>,
): Promise<{ readonly number: number; readonly version: number }> {
  const expiresAt = (at + limits.requestRetentionMs) as EpochMs
  const value: DeploymentDocument = { ...fields, request, at }
  let newestNumber = 0
  for (let attempt = 1; attempt <= numberAttemptsMax; attempt += 1) {
    const number = await takeNumber(ports, stack, newestNumber)
    if (number === undefined) continue
    const key = deploymentKeyOf(stack, number)
    const version = await ports.documents.putExpiring({ key, version: 0, value, expiresAt })
    if (version !== false) return { number, version }
    const { documents } = await ports.documents.list('client-update', '', stack)
    newestNumber = documents[0] === undefined ? 0 : numberOf(documents[0])
  }
  throw createError('DOCUMENT_CHANGED', 'other calls took the next number of a deployment')
}

function numberOf({ key }: Pick<StoredDocument, 'key'>): number {
  return numberMax - Number(key.name.slice('deployment-'.length))
}

/** Removes a deployment whose request could not be put. */
export async function removePulumiDeployment(
  { documents }: Pick<ServicePorts, 'documents'>,
  stack: StackId,
  { number, version }: { readonly number: number; readonly version: number },
): Promise<void> {
  await documents.remove(deploymentKeyOf(stack, number), version)
}

/** Returns the number in an id, or the number itself. Undefined for any other text. */
export function parsePulumiDeploymentId(id: string): number | undefined {
  const [, number] = idPattern.exec(id) ?? []
  return number === undefined ? undefined : Number(number)
}

/** The stack of a deployment. Deployments of an earlier stack with its name count as absent. */
type DeploymentStack = Pick<StackRecord, 'id' | 'createdAt'>

/** Returns a deployment of a stack. Throws DEPLOYMENT_UNKNOWN if it or its request is absent. */
export async function requirePulumiDeployment(
  ports: Pick<ServicePorts, 'documents' | 'requests'>,
  stack: DeploymentStack,
  number: number | undefined,
): Promise<PulumiDeployment> {
  const key = number === undefined ? undefined : deploymentKeyOf(stack.id, number)
  const stored = key === undefined ? undefined : await ports.documents.get(key)
  const deployment =
    stored !== undefined && belongsTo(stored, stack)
      ? await findPulumiDeployment(ports, stack, stored)
      : undefined
  if (deployment === undefined)
    throw createError('DEPLOYMENT_UNKNOWN', 'the stack has no such deployment', {
      hint: 'List the deployments with `pulumi deployment list`.',
    })
  return deployment
}

/** Returns the deployment of a document. Undefined once its request was removed. */
export async function findPulumiDeployment(
  { requests }: Pick<ServicePorts, 'requests'>,
  stack: DeploymentStack,
  stored: StoredDocument,
): Promise<PulumiDeployment | undefined> {
  const { request: key, at: _at, ...fields } = parseDocumentValue(deploymentDocument, stored)
  const record = await requests.find(stack.id, key)
  if (record === undefined || isEditRequest(record.request)) return undefined
  const { request, end } = record
  return { ...fields, number: numberOf(stored), request, ...(end === undefined ? {} : { end }) }
}

function belongsTo(stored: StoredDocument, { createdAt }: DeploymentStack): boolean {
  return parseDocumentValue(deploymentDocument, stored).at >= createdAt
}

/** Yields the documents of a stack's deployments, newest first. */
export async function* readPulumiDeployments(
  { documents }: Pick<ServicePorts, 'documents'>,
  stack: DeploymentStack,
): AsyncGenerator<StoredDocument> {
  for await (const stored of readDocumentsOf(documents, 'client-update', stack.id))
    if (belongsTo(stored, stack)) yield stored
}
