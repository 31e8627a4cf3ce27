import { ApiError, Storage, type StorageOptions } from '@google-cloud/storage'
import { createError } from '../../errors/error.ts'
import type { ObjectStorePort } from '../../ports/objects.ts'
import { contentTypeOf } from './content-type-of-bytes.ts'
import { backendErrorOf, createRequestRunner } from './object-errors.ts'
import { addressOfBucket, type ObjectStoreUrl, requireKnownQuery } from './object-store-url.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The query parameters that this store reads, as Pulumi's stores of Google Cloud do. */
const knownParameters: ReadonlySet<string> = new Set(['private_key_path', 'universe_domain'])

/**
 * Creates the store of `gs://<bucket>/<folder>`. Credentials are the JSON text of
 * GOOGLE_CREDENTIALS, else the key file that `private_key_path` names, else the default
 * credentials. Throws BACKEND_URL_INVALID for an unknown parameter or invalid credentials.
 */
export function createGcsObjects(url: ObjectStoreUrl, env: Env): ObjectStorePort {
  const { bucket: bucketName, prefix, query } = url
  requireKnownQuery(url, knownParameters)
  const bucket = openStorage(query, env).bucket(bucketName)
  const address = addressOfBucket(url)
  const withErrors = createRequestRunner(address, (request, thrown) =>
    backendErrorOf(`${request} failed`, thrown, {
      status: statusOf(thrown),
      reason: reasonOf(thrown),
    }),
  )
  const save = (key: string, bytes: Uint8Array, ifAbsent: boolean): Promise<void> =>
    bucket.file(prefix + key).save(Buffer.from(bytes), {
      resumable: false,
      contentType: contentTypeOf(bytes),
      // The generation 0 stands for an object that does not exist.
      ...(ifAbsent ? { preconditionOpts: { ifGenerationMatch: 0 } } : {}),
    })
  return {
    address,
    get: key =>
      withErrors(`get ${key}`, async () => {
        try {
          // Without the option, the library would decompress objects with a content encoding.
          const [bytes] = await bucket.file(prefix + key).download({ decompress: false })
          return bytes
        } catch (thrown) {
          if (statusOf(thrown) !== 404) throw thrown
          await requireBucket()
          return undefined
        }
      }),
    put: (key, bytes) => withErrors(`put ${key}`, () => save(key, bytes, false)),
    putIfAbsent: (key, bytes) =>
      withErrors(`put ${key}`, async () => {
        try {
          await save(key, bytes, true)
          return true
        } catch (thrown) {
          if (statusOf(thrown) === 412) return false
          throw thrown
        }
      }),
    list: keyPrefix =>
      withErrors(`list ${keyPrefix}`, async () => {
        const [files] = await bucket.getFiles({ prefix: prefix + keyPrefix })
        return files.map(({ name, metadata }) => ({
          key: name.slice(prefix.length),
          modifiedMs: Date.parse(String(metadata.updated)),
        }))
      }),
    remove: key =>
      withErrors(`remove ${key}`, async () => {
        await bucket.file(prefix + key).delete({ ignoreNotFound: true })
      }),
  }

  /**
   * Throws if the bucket is missing. A missing object and a missing bucket have the same status, so
   * a failed download does not distinguish them.
   */
  async function requireBucket(): Promise<void> {
    await bucket.getFiles({ maxResults: 1, autoPaginate: false })
  }
}

/**
 * Opens the client. Sets the base URL of an emulator, because the library derives a wrong one from
 * STORAGE_EMULATOR_HOST.
 */
function openStorage(query: URLSearchParams, env: Env): Storage {
  const options = readStorageOptions(query, env)
  const storage = new Storage(options)
  if (options.apiEndpoint !== undefined)
    storage.baseUrl = `${options.apiEndpoint.replace(/\/+$/, '')}/storage/v1`
  return storage
}

function readStorageOptions(query: URLSearchParams, env: Env): StorageOptions {
  const keyFile = query.get('private_key_path')
  const universe = query.get('universe_domain')
  const credentials = env['GOOGLE_CREDENTIALS'] ?? ''
  const emulator = env['STORAGE_EMULATOR_HOST'] ?? ''
  return {
    ...(keyFile === null ? {} : { keyFilename: keyFile }),
    ...(universe === null ? {} : { universeDomain: universe }),
    ...(credentials === '' ? {} : { credentials: parseCredentials(credentials) }),
    ...(emulator === ''
      ? {}
      : { apiEndpoint: emulator.includes('://') ? emulator : `http://${emulator}` }),
  }
}

function parseCredentials(text: string): NonNullable<StorageOptions['credentials']> {
  try {
    return JSON.parse(text) as NonNullable<StorageOptions['credentials']>
  } catch {
    throw createError('BACKEND_URL_INVALID', 'GOOGLE_CREDENTIALS is not the JSON text of a key', {
      hint: 'Set it to the contents of the key file, or unset it to use the default credentials.',
    })
  }
}

/** Returns the reasons of a response, which the library's message repeats in several lines. */
function reasonOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof ApiError)) return undefined
  const reasons = (thrown.errors ?? []).map(({ message }) => message ?? '').filter(Boolean)
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('; ')
}

function statusOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined
  const status = Number(thrown.code)
  return Number.isInteger(status) ? status : undefined
}
