import { createError } from '../errors/error.ts'
import type { StackId } from '../records/ids.ts'
import { exportState } from '../runtime/state/export-state.ts'
import { emptyManifest } from '../state/empty-deployment.ts'
import { printStateBlob } from '../state/print-envelope.ts'
import { envelopeOf } from '../state/snapshot-codec.ts'
import type { ServicePorts } from './service-route.ts'

/** The export of a stack without a state. Clients refuse an export without `version`. */
const emptyExport = { version: 3, deployment: { manifest: emptyManifest } }

/**
 * Returns a response with the state of a stack, or with a published version of the state. In the
 * journal entries of an update, clients name resources by their positions in the pinned base. So
 * until the first journal entry of an update, the response is exactly this base. Throws
 * STACK_NOT_FOUND, and MOMENT_UNKNOWN for an unknown version.
 */
export async function createExportResponse(
  ports: ServicePorts,
  stack: StackId,
  version?: number,
): Promise<Response> {
  if (version === 0 || Number.isNaN(version))
    throw createError('MOMENT_UNKNOWN', 'versions of a stack are numbers from 1')
  const state = await exportState(ports, stack, version)
  if (state === undefined && version !== undefined)
    throw createError('MOMENT_UNKNOWN', `the stack has no version ${version}`)
  const body =
    state === undefined
      ? JSON.stringify(emptyExport)
      : await printStateBlob(await envelopeOf(state))
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
