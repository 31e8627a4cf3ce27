import { z } from 'zod'
import { limits } from '../../../shared/config/limits.ts'
import { error } from '../../../shared/errors/error.ts'
import type { DocumentKey, StoredDocument } from '../../../shared/ports/documents.ts'
import type { EpochMs, StackId } from '../../../shared/records/ids.ts'
import {
  type DeploymentRequest,
  isEditRequest,
  type RequestEnd,
} from '../../../shared/records/stack-request.ts'
import { parseDocumentValue } from '../../../shared/triggers/parse-document-value.ts'
import { pulumiOperations } from './pulumi-operations.ts'
import type { ServicePorts } from './service-route.ts'

const deploymentDocument = z.object({
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
export interface PulumiDeployment extends Omit<DeploymentDocument, 'request'> {
  readonly number: number
  readonly request: DeploymentRequest
  /** The end of the request. Absent while it waits. */
  readonly end?: RequestEnd
}

const numberMax = 999_999_999
const numberDigits = String(numberMax).length
const idPattern = /^dep-([1-9]\d{0,8})$/
/** Attempts to take the next number, which concurrent calls take too. */
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

async function takeNumber(
  { documents }: Pick<ServicePorts, 'documents'>,
  stack: StackId,
): Promise<number> {
  const key: DocumentKey = { kind: 'stack-settings', scope: stack, name: 'last-deployment' }
  for (let attempt = 1; attempt <= numberAttemptsMax; attempt += 1) {
    const stored = await documents.get(key)
    const last = stored === undefined ? 0 : parseDocumentValue(numberDocument, stored).last
    if (await documents.put(key, { last: last + 1 }, stored?.version ?? 0)) return last + 1
  }
  throw error('DOCUMENT_CHANGED', 'other calls took the next number of a deployment')
}

/**
 * Stores a deployment under the next number of its stack, before its request is put. The store
 * removes it together with the request. Throws DOCUMENT_CHANGED.
 */
export async function addPulumiDeployment(
  ports: Pick<ServicePorts, 'documents'>,
  request: Pick<DeploymentRequest, 'stack' | 'key' | 'at'>,
  fields: Omit<DeploymentDocument, 'request'>,
): Promise<{ readonly number: number; readonly version: number }> {
  const number = await takeNumber(ports, request.stack)
  const expiresAt = (request.at + limits.requestRetentionMs) as EpochMs
  const key = deploymentKeyOf(request.stack, number)
  const value: DeploymentDocument = { ...fields, request: request.key }
  const version = await ports.documents.putExpiring({ key, version: 0, value, expiresAt })
  if (version !== false) return { number, version }
  throw error('DOCUMENT_CHANGED', `the stack has a deployment with the number ${number}`)
}

/** Removes a deployment whose request could not be put. */
export async function removePulumiDeployment(
  { documents }: Pick<ServicePorts, 'documents'>,
  stack: StackId,
  { number, version }: { readonly number: number; readonly version: number },
): Promise<void> {
  await documents.remove(deploymentKeyOf(stack, number), version)
}

/** Returns the number that an id names. Undefined for any other text. */
export function parsePulumiDeploymentId(id: string): number | undefined {
  const [, number] = idPattern.exec(id) ?? []
  return number === undefined ? undefined : Number(number)
}

/** Returns a deployment of a stack. Throws DEPLOYMENT_UNKNOWN if it or its request is absent. */
export async function requirePulumiDeployment(
  ports: Pick<ServicePorts, 'documents' | 'requests'>,
  stack: StackId,
  number: number | undefined,
): Promise<PulumiDeployment> {
  const key = number === undefined ? undefined : deploymentKeyOf(stack, number)
  const stored = key === undefined ? undefined : await ports.documents.get(key)
  const deployment =
    stored === undefined ? undefined : await findPulumiDeployment(ports, stack, stored)
  if (deployment === undefined)
    throw error('DEPLOYMENT_UNKNOWN', 'the stack has no such deployment', {
      hint: 'List the deployments with `pulumi deployment list`.',
    })
  return deployment
}

/** Returns the deployment of a document. Undefined once its request was removed. */
export async function findPulumiDeployment(
  { requests }: Pick<ServicePorts, 'requests'>,
  stack: StackId,
  stored: StoredDocument,
): Promise<PulumiDeployment | undefined> {
  const { request: key, ...fields } = parseDocumentValue(deploymentDocument, stored)
  const number = numberMax - Number(stored.key.name.slice('deployment-'.length))
  const record = await requests.find(stack, key)
  if (record === undefined || isEditRequest(record.request)) return undefined
  const { request, end } = record
  return { ...fields, number, request, ...(end === undefined ? {} : { end }) }
}
