/**
 * objects: the stores of self-managed backends, one adapter for each scheme of their addresses.
 * Imports ports and below, and the errors of platform/aws.
 *
 * Invariants: 1. The query of an address selects the same store as for Pulumi. 2. A client library
 * is loaded only when an address needs it. 3. No credential is part of an address in a message.
 */
import { existsSync, statSync } from 'node:fs'
import { isTruthy } from '../../config/truthy.ts'
import { createError } from '../../errors/error.ts'
import type { ObjectStorePort } from '../../ports/objects.ts'
import { createFileObjects } from './file-objects.ts'
import { type ObjectStoreUrl, requireKnownQuery } from './object-store-url.ts'

/**
 * Query parameters of `file://`. A store always writes temporary files beside their targets, as
 * `no_tmp_dir` requests.
 */
const fileParameters: ReadonlySet<string> = new Set(['metadata', 'create_dir', 'no_tmp_dir'])

/**
 * Requires that the folder of a `file://` address exists, unless the address has `create_dir`. A
 * folder that is missing by mistake would look like a new backend. Throws BACKEND_MISSING.
 */
export function requireBackendFolder({ scheme, prefix, query }: ObjectStoreUrl): void {
  if (scheme !== 'file') return
  const exists = existsSync(prefix)
  if (exists && !statSync(prefix).isDirectory())
    throw createError('BACKEND_MISSING', `${prefix} is not a folder`, {
      hint: 'Correct the address of the backend, so that it names a folder.',
    })
  if (exists || isTruthy(query.get('create_dir') ?? '')) return
  throw createError('BACKEND_MISSING', `the folder ${prefix} does not exist`, {
    hint: 'Create the folder, or add `?create_dir=true` to the address.',
  })
}

/** Opens the store of a parsed address. Makes no request. Throws BACKEND_URL_INVALID. */
export async function openObjectStore(
  url: ObjectStoreUrl,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ObjectStorePort> {
  if (url.scheme === 'file') {
    requireKnownQuery(url, fileParameters)
    return createFileObjects(url.prefix, { hasAttributes: url.query.get('metadata') !== 'skip' })
  }
  if (url.scheme === 's3') return (await import('./s3-objects.ts')).createS3Objects(url, env)
  if (url.scheme === 'gs') return (await import('./gcs-objects.ts')).createGcsObjects(url, env)
  return (await import('./azure-objects.ts')).createAzureObjects(url, env)
}
