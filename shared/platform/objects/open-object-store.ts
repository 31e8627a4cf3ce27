/**
 * objects: the stores of self-managed backends, one adapter for each scheme of their addresses.
 * Imports ports and below, and the errors of platform/aws.
 *
 * Invariants: 1. The query of an address selects the same store as for Pulumi. 2. A client library
 * is loaded only when an address needs it. 3. No credential is part of an address in a message.
 */
import type { ObjectStorePort } from '../../ports/objects.ts'
import { createFileObjects } from './file-objects.ts'
import { type ObjectStoreUrl, requireKnownQuery } from './object-store-url.ts'

/**
 * Query parameters of `file://`. A store always creates its folder, and writes temporary files
 * beside their targets, as `create_dir` and `no_tmp_dir` request.
 */
const fileParameters: ReadonlySet<string> = new Set(['metadata', 'create_dir', 'no_tmp_dir'])

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
