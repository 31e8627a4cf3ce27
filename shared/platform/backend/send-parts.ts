import { putCopyBlob, putCopyPart } from '../../backends/journal-copies.ts'
import type { Backend } from '../../backends/open-backend.ts'
import { limits } from '../../config/limits.ts'
import { withTimeout } from '../../config/with-timeout.ts'
import { createError } from '../../errors/error.ts'
import { type BlobHash, deploymentPartsOf, type StackId } from '../../records/ids.ts'
import type { UnsentPart } from '../../records/journal-copy.ts'
import { createBlobs, readContentHash } from '../embedded/blobs.ts'
import { findBlobHashes } from '../records/blob-hashes.ts'
import type { SendParts } from '../embedded/store/commit-queue.ts'
import type { SendResult } from '../embedded/store/copied-writes.ts'
import { toStoreFailure } from '../embedded/store/store-message.ts'
import type { SyncPoints } from './sync-points.ts'

/** The dependencies of sending parts. */
export interface SendDeps {
  readonly backend: Backend
  readonly syncPoints: Pick<SyncPoints, 'read'>
  /** The folder of this machine's blobs. */
  readonly blobFolder: string
}

/**
 * The blobs of a copy that need no sending: they are sent already, not stored here, or in the
 * checkpoint.
 */
interface HandledBlobs {
  readonly copyId: string
  readonly hashes: Set<string>
}

/**
 * Creates the function that sends parts of journal copies to a backend, in their order. The blobs
 * that a part names are sent before it. The base is not sent if the checkpoint has its content.
 */
export function createPartSender(deps: SendDeps): SendParts {
  const { backend } = deps
  const blobs = createBlobs(deps.blobFolder)
  /** The blobs of the newest copy of each stack. A stack has one copy at a time. */
  const handledBlobsByStack = new Map<StackId, HandledBlobs>()
  /** Limits the time of a request, which would otherwise block the writes of all deployments. */
  const awaitResponse = async <T>(request: Promise<T>): Promise<T> => {
    const response = request.then(value => ({ value }))
    const received = await withTimeout(response, limits.storeResponseMs)
    if (received !== undefined) return received.value
    throw createError('STORE_UNAVAILABLE', `no response from ${backend.store.address}`, {
      hint: 'Check the network and the health of the service.',
    })
  }
  /** Uploads in progress. One may outlast the limit, so the next attempt awaits the same upload. */
  const pendingUploads = new Map<string, Promise<void>>()
  const uploadBlob = (stack: StackId, hash: BlobHash, handled: HandledBlobs): Promise<void> => {
    const { copyId, hashes } = handled
    const key = `${stack} ${copyId} ${hash}`
    const pendingUpload = pendingUploads.get(key)
    if (pendingUpload !== undefined) return pendingUpload
    const putBlob = async (): Promise<void> => {
      await putCopyBlob(backend, stack, { copyId, hash, bytes: await blobs.get(hash) })
      hashes.add(hash)
    }
    const upload = putBlob().finally(() => pendingUploads.delete(key))
    // A failure after the limit reaches no caller.
    upload.catch(() => undefined)
    pendingUploads.set(key, upload)
    return upload
  }
  const send = async (part: UnsentPart): Promise<void> => {
    const { stack } = deploymentPartsOf(part.deployment)
    const { copyId } = part
    const earlierBlobs = handledBlobsByStack.get(stack)
    const handledBlobs =
      earlierBlobs?.copyId === copyId
        ? earlierBlobs
        : { copyId, hashes: new Set<string>([deps.syncPoints.read(stack).base]) }
    handledBlobsByStack.set(stack, handledBlobs)
    for (const hash of findBlobHashes(part.text)) {
      if (handledBlobs.hashes.has(hash)) continue
      const isStored = (await readContentHash(deps.blobFolder, hash)) !== undefined
      if (isStored) await awaitResponse(uploadBlob(stack, hash, handledBlobs))
      else handledBlobs.hashes.add(hash)
    }
    // If the part is not written, another machine has already written its fence with this number.
    if (!(await awaitResponse(putCopyPart(backend, stack, part))))
      throw createError(
        'DEPLOYMENT_TAKEN_OVER',
        `another machine has closed the deployment ${part.deployment}, because it saw no progress`,
      )
  }
  return async parts => {
    const results = new Map<string, SendResult>()
    for (const part of parts) {
      const { deployment, number } = part
      if (results.get(deployment)?.failure !== undefined) continue
      try {
        await send(part)
        results.set(deployment, { deployment, sentThrough: number })
      } catch (thrown) {
        const failure = toStoreFailure(thrown)
        results.set(deployment, { deployment, sentThrough: number - 1, failure })
      }
    }
    return [...results.values()]
  }
}
