import * as z from 'zod'
import { createError } from '../../../errors/error.ts'
import type { StackRecord } from '../../../ports/catalog.ts'
import type { BlobsPort } from '../../../ports/records.ts'
import { type Claim, findTouchedUrn } from '../../../records/claim.ts'
import type { BlobHash, DeploymentId } from '../../../records/ids.ts'
import { parseForm } from '../../../values/parse-form.ts'
import { parseJson } from '../../../values/parse-json.ts'

/** An open deployment that claims a resource which another claim touches. */
export interface ClaimConflict {
  readonly deployment: DeploymentId
  readonly urn: string
}

const claimForm = z.object({ changes: z.array(z.string()), reads: z.array(z.string()) })

/** Returns the contents of the blob of a claim. Equal claims have the same blob. */
export function encodeClaim({ changes, reads }: Claim): Uint8Array {
  const claim = { changes: [...changes].toSorted(), reads: [...reads].toSorted() }
  return Buffer.from(JSON.stringify(claim))
}

/** Reads a claim. Throws STATE_INVALID when it is damaged. */
export async function readClaim(blobs: BlobsPort, hash: BlobHash): Promise<Claim> {
  const parsed = parseForm(
    claimForm,
    parseJson(Buffer.from(await blobs.get(hash)).toString('utf8')),
  )
  if (!parsed.success) throw createError('STATE_INVALID', `the claim ${hash} is damaged`)
  return { changes: new Set(parsed.data.changes), reads: new Set(parsed.data.reads) }
}

/**
 * Finds an open targeted deployment, other than `exceptDeployment`, whose claim touches `claim`.
 * Returns undefined if there is none.
 */
export async function findClaimConflict(
  blobs: BlobsPort,
  { targeted = [] }: Pick<StackRecord, 'targeted'>,
  { claim, exceptDeployment }: { readonly claim: Claim; readonly exceptDeployment?: DeploymentId },
): Promise<ClaimConflict | undefined> {
  for (const open of targeted) {
    if (open.deployment === exceptDeployment) continue
    const urn = findTouchedUrn(claim, await readClaim(blobs, open.claim))
    if (urn !== undefined) return { deployment: open.deployment, urn }
  }
  return undefined
}
