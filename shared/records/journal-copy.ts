import * as z from 'zod'
import { createError } from '../errors/error.ts'
import type { BlobHash, DeploymentId, EpochMs } from './ids.ts'

/**
 * The first part of a journal copy. A journal copy has the writes of a running deployment on a
 * self-managed backend. `stack` describes the stack before these writes: its published version, its
 * snapshot, and the number of its last deployment. `begun`: the start of the copied deployment in
 * the history, as JSON.
 */
export interface CopyHeader {
  readonly format: 1
  readonly deployment: DeploymentId
  readonly stack: {
    readonly createdAt: EpochMs
    readonly version: number
    readonly snapshot: BlobHash | ''
    readonly deployments: number
  }
  readonly begun: string
}

/** A write of a record: the method of the embedded store, and its arguments. */
export type CopiedWrite = readonly [
  method: string,
  args: Readonly<Record<string, unknown>> & { readonly deployment: string },
]

/** The machine that ended a copy in place of its writer. */
export interface CopyFence {
  readonly host: string
  readonly pid: number
  readonly at: EpochMs
}

/** The content of one part of a journal copy. */
export type CopyPart =
  | { readonly header: CopyHeader }
  | { readonly writes: readonly CopiedWrite[] }
  | { readonly fence: CopyFence }

/** One part of a journal copy that is not in the backend yet. Parts are numbered from 0. */
export interface UnsentPart {
  readonly deployment: DeploymentId
  /** The id of the copy. */
  readonly copyId: string
  readonly number: number
  /** A `CopyPart` as JSON. A repeated part has the same text. */
  readonly text: string
}

const partForm = z.union([
  z.object({
    header: z.object({
      format: z.literal(1),
      deployment: z.string(),
      stack: z.object({
        createdAt: z.number(),
        version: z.number(),
        snapshot: z.string().regex(/^([0-9a-f]{64})?$/),
        deployments: z.number(),
      }),
      begun: z.string(),
    }),
  }),
  z.object({
    writes: z.array(z.tuple([z.string(), z.looseObject({ deployment: z.string() })])),
  }),
  z.object({ fence: z.object({ host: z.string(), pid: z.number(), at: z.number() }) }),
])

/** Parses a part. Throws BACKEND_INVALID with the key of the part. */
export function parseCopyPart(bytes: Uint8Array, key: string): CopyPart {
  try {
    return partForm.parse(JSON.parse(Buffer.from(bytes).toString())) as CopyPart
  } catch (thrown) {
    throw createError('BACKEND_INVALID', `the object ${key} is not a part of a journal copy`, {
      hint: 'Restore the object, or use the version of antichain that wrote it.',
      cause: thrown,
    })
  }
}
