import * as z from 'zod'
import { awsLimits } from '../../../config/aws-limits.ts'
import { createError } from '../../../errors/error.ts'
import type { ChainMessage } from '../../../ports/queue.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import type { BlobHash, DeploymentId, OperationId } from '../../../records/ids.ts'
import { parseJson } from '../../../values/parse-json.ts'
import { parseForm } from '../../../values/parse-form.ts'

/** The version of the message format. During an upgrade a queue may contain two versions. */
const format = 1

const operationsForm = z.array(z.int().positive())
const chainForm = z.union([
  z.object({
    v: z.literal(format),
    deployment: z.string().min(1),
    operations: operationsForm,
    pool: z.enum(['short', 'long']).optional(),
  }),
  /**
   * The reference to a message above the size limit of SQS. The blob contains the whole message.
   */
  z.object({
    v: z.literal(format),
    deployment: z.string().min(1),
    blob: z.string().regex(/^[0-9a-f]{64}$/),
  }),
])

/** Maximum bytes of a body. A larger message is sent as a reference to a blob. */
export const bodyBytesMax: number = awsLimits.messageBytesMax

/**
 * Encodes the body of a message. A message that is too large for the queue is put into a blob
 * first.
 */
export async function encodeChainMessage(
  message: ChainMessage,
  blobs: Pick<BlobsPort, 'put'>,
  bytesMax: number,
): Promise<string> {
  const { deployment, operations, pool } = message
  const body = JSON.stringify({ v: format, deployment, operations, pool })
  if (Buffer.byteLength(body) <= bytesMax) return body
  const blob = await blobs.put(Buffer.from(body))
  return JSON.stringify({ v: format, deployment, blob })
}

/**
 * Decodes a body. Returns its deployment, and a function that reads the whole message. Returns
 * undefined for an unreadable or newer message, which stays in its queue and becomes a dead letter.
 */
export function decodeChainMessage(
  body: string,
  blobs: Pick<BlobsPort, 'get'>,
):
  | { readonly deployment: DeploymentId; readonly readMessage: () => Promise<ChainMessage> }
  | undefined {
  const parsed = parseForm(chainForm, parseJson(body))
  if (!parsed.success) return undefined
  const { data } = parsed
  const deployment = data.deployment as DeploymentId
  if (!('blob' in data)) return { deployment, readMessage: async () => toChainMessage(data) }
  return {
    deployment,
    readMessage: async () => {
      const bytes = await blobs.get(data.blob as BlobHash)
      const parsedBlob = parseForm(chainForm, parseJson(Buffer.from(bytes).toString()))
      if (parsedBlob.success && !('blob' in parsedBlob.data)) return toChainMessage(parsedBlob.data)
      throw createError(
        'STATE_INVALID',
        `the blob ${data.blob} does not contain the message that references it`,
      )
    },
  }
}

function toChainMessage(data: {
  readonly deployment: string
  readonly operations: readonly number[]
  readonly pool?: 'short' | 'long' | undefined
}): ChainMessage {
  return {
    deployment: data.deployment as DeploymentId,
    operations: data.operations as OperationId[],
    ...(data.pool === undefined ? {} : { pool: data.pool }),
  }
}
