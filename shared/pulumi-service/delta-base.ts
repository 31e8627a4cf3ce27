import * as z from 'zod'
import type { DocumentKey, DocumentsPort } from '../ports/documents.ts'
import type { ClockPort } from '../ports/system.ts'
import type { BlobHash, EpochMs } from '../records/ids.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'

const checkpointBase = z.object({
  snapshot: z.string().transform(text => text as BlobHash),
  sequenceNumber: z.number(),
})

/** The last checkpoint of an update: the blob with its bytes, and the client's number for it. */
export type DeltaBase = z.infer<typeof checkpointBase>

/** Time for which a base is stored. Without a base, clients send the whole state. */
const baseLifetimeMs = 24 * 3_600_000

interface BasePorts {
  readonly documents: Pick<DocumentsPort, 'get' | 'putExpiring'>
  readonly clock: Pick<ClockPort, 'now'>
}

/**
 * Returns the key of a base. The base has a document of its own, because events change the document
 * of the update.
 */
function baseKeyOf(update: string): DocumentKey {
  return { kind: 'client-update', scope: '*', name: `base-${update}` }
}

async function readStoredBase(
  { documents }: Pick<BasePorts, 'documents'>,
  update: string,
): Promise<{ readonly version: number; readonly base: DeltaBase | undefined }> {
  const stored = await documents.get(baseKeyOf(update))
  if (stored === undefined) return { version: 0, base: undefined }
  return { version: stored.version, base: parseDocumentValue(checkpointBase, stored) }
}

/** Returns the last checkpoint of an update. Undefined if none is stored, or it has expired. */
export async function readCheckpointBase(
  ports: Pick<BasePorts, 'documents'>,
  update: string,
): Promise<DeltaBase | undefined> {
  return (await readStoredBase(ports, update)).base
}

/** Puts a checkpoint as the base of the next delta, unless a later one is already there. */
export async function putCheckpointBase(
  ports: BasePorts,
  update: string,
  base: DeltaBase,
): Promise<void> {
  const key = baseKeyOf(update)
  for (;;) {
    const { version, base: storedBase } = await readStoredBase(ports, update)
    if (storedBase !== undefined && storedBase.sequenceNumber > base.sequenceNumber) return
    const expiresAt = (ports.clock.now() + baseLifetimeMs) as EpochMs
    const document = { key, version, value: base, expiresAt }
    if ((await ports.documents.putExpiring(document)) !== false) return
  }
}
