import {
  AnonymousCredential,
  BlobServiceClient,
  type ContainerClient,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { createError } from '../../errors/error.ts'
import type { ObjectEntry, ObjectStorePort } from '../../ports/objects.ts'
import { contentTypeOf } from './content-type-of-bytes.ts'
import { backendErrorOf, createRequestRunner } from './object-errors.ts'
import { addressOfBucket, type ObjectStoreUrl, requireKnownQuery } from './object-store-url.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The query parameters that this store reads, as Pulumi's stores of Azure do. */
const knownParameters: ReadonlySet<string> = new Set([
  ...['storage_account', 'domain', 'protocol', 'localemu'],
])

/**
 * Creates the store of `azblob://<container>/<folder>`. Without the parameter `storage_account`,
 * AZURE_STORAGE_CONNECTION_STRING selects account and credentials. If this variable is not set,
 * AZURE_STORAGE_ACCOUNT names the account. If no connection string selects the credentials, they
 * are AZURE_STORAGE_KEY, else AZURE_STORAGE_SAS_TOKEN, else the default credentials of Azure.
 * Throws BACKEND_URL_INVALID for an unknown parameter, a missing account or an invalid connection
 * string.
 */
export async function createAzureObjects(url: ObjectStoreUrl, env: Env): Promise<ObjectStorePort> {
  const { bucket: containerName, prefix } = url
  requireKnownQuery(url, knownParameters)
  const service = await openService(url.query, env)
  const container = service.getContainerClient(containerName)
  const address = addressOfBucket(url)
  const withErrors = createRequestRunner(address, (request, thrown) =>
    backendErrorOf(`${request} failed`, thrown, {
      status: statusOf(thrown),
      reason: reasonOf(thrown),
    }),
  )
  const upload = async (key: string, bytes: Uint8Array, ifAbsent: boolean): Promise<void> => {
    await container.getBlockBlobClient(prefix + key).uploadData(bytes, {
      blobHTTPHeaders: { blobContentType: contentTypeOf(bytes) },
      ...(ifAbsent ? { conditions: { ifNoneMatch: '*' } } : {}),
    })
  }
  return {
    address,
    get: key =>
      withErrors(`get ${key}`, async () => {
        try {
          return await container.getBlobClient(prefix + key).downloadToBuffer()
        } catch (thrown) {
          if (codeOf(thrown) === 'BlobNotFound') return undefined
          throw thrown
        }
      }),
    put: (key, bytes) => withErrors(`put ${key}`, () => upload(key, bytes, false)),
    putIfAbsent: (key, bytes) =>
      withErrors(`put ${key}`, async () => {
        try {
          await upload(key, bytes, true)
          return true
        } catch (thrown) {
          // Both statuses mean that an object has the key.
          if ([409, 412].includes(statusOf(thrown) ?? 0)) return false
          throw thrown
        }
      }),
    list: keyPrefix =>
      withErrors(`list ${keyPrefix}`, () => listBlobs(container, prefix, keyPrefix)),
    remove: key =>
      withErrors(`remove ${key}`, async () => {
        await container.getBlobClient(prefix + key).deleteIfExists()
      }),
  }
}

async function listBlobs(
  container: ContainerClient,
  prefix: string,
  keyPrefix: string,
): Promise<readonly ObjectEntry[]> {
  const entries: ObjectEntry[] = []
  for await (const { name, properties } of container.listBlobsFlat({ prefix: prefix + keyPrefix }))
    entries.push({
      key: name.slice(prefix.length),
      modifiedMs: properties.lastModified.getTime(),
    })
  return entries
}

async function openService(query: URLSearchParams, env: Env): Promise<BlobServiceClient> {
  const connection = env['AZURE_STORAGE_CONNECTION_STRING'] ?? ''
  if (connection !== '' && !query.has('storage_account')) return openConnection(connection)
  const account = query.get('storage_account') || env['AZURE_STORAGE_ACCOUNT'] || ''
  if (account === '')
    throw createError('BACKEND_URL_INVALID', 'the storage account of azblob:// is unknown', {
      hint: 'Add `?storage_account=<name>` to the address, or set AZURE_STORAGE_ACCOUNT.',
    })
  const serviceUrl = serviceUrlOf(account, query, env)
  const key = env['AZURE_STORAGE_KEY'] ?? ''
  const token = env['AZURE_STORAGE_SAS_TOKEN'] ?? ''
  if (key !== '')
    return new BlobServiceClient(serviceUrl, new StorageSharedKeyCredential(account, key))
  if (token !== '')
    return new BlobServiceClient(
      `${serviceUrl}?${token.replace(/^\?/, '')}`,
      new AnonymousCredential(),
    )
  const { DefaultAzureCredential } = await import('@azure/identity')
  return new BlobServiceClient(serviceUrl, new DefaultAzureCredential())
}

/**
 * Opens the account of a connection string. The string contains a key, so no error contains the
 * string.
 */
function openConnection(connection: string): BlobServiceClient {
  try {
    return BlobServiceClient.fromConnectionString(connection)
  } catch (cause) {
    throw createError(
      'BACKEND_URL_INVALID',
      'AZURE_STORAGE_CONNECTION_STRING is not a connection string of a storage account',
      { cause, hint: 'Copy it from the access keys of the account, or unset it.' },
    )
  }
}

/** Returns the address of an account. An emulator has the account in the path. */
function serviceUrlOf(account: string, query: URLSearchParams, env: Env): string {
  const isEmulator = query.get('localemu') === 'true'
  const protocol =
    query.get('protocol') || env['AZURE_STORAGE_PROTOCOL'] || (isEmulator ? 'http' : 'https')
  const domain =
    query.get('domain') ||
    env['AZURE_STORAGE_DOMAIN'] ||
    (isEmulator ? 'localhost:10000' : 'blob.core.windows.net')
  return isEmulator ? `${protocol}://${domain}/${account}` : `${protocol}://${account}.${domain}`
}

function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof RestError ? thrown.statusCode : undefined
}

/** Returns the reason of an error. The response to a HEAD has no message. */
function reasonOf(thrown: unknown): string | undefined {
  return thrown instanceof RestError ? thrown.message || codeOf(thrown) : undefined
}

/** Returns the code of an error response. The response to a HEAD has it in a header only. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof RestError)) return undefined
  const { details } = thrown
  const hasErrorCode = typeof details === 'object' && details !== null && 'errorCode' in details
  return thrown.code ?? (hasErrorCode ? String(details.errorCode) : undefined)
}
