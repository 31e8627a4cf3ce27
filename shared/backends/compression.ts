import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { createError, type DeployError } from '../errors/error.ts'
import { hasBackendFlag } from './backend-flags.ts'

/** The compression of a backend's objects. */
export type Compression = 'none' | 'gzip' | 'zstd'

/** The suffixes of the keys of objects, by compression. */
export const compressionSuffixes = { none: '', gzip: '.gz', zstd: '.zst' } as const

/** Maximum size of an object after its decompression: one gigabyte. */
const decompressionOptions = { maxOutputLength: 2 ** 30 }

const decompressInBackground = promisify(gunzip)

/** Decompresses an object. Its first bytes identify the compression. Throws BACKEND_INVALID. */
export function decompress(bytes: Uint8Array, key: string): Uint8Array {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, decompressionOptions)
    if (Buffer.from(bytes.subarray(0, 4)).toString('hex') === '28b52ffd')
      return zstdDecompressSync(bytes, decompressionOptions)
    return bytes
  } catch (cause) {
    throw createDamagedError(key, cause)
  }
}

/** Decompresses an object that is always packed with gzip. Throws BACKEND_INVALID. */
export function decompressGzip(bytes: Uint8Array, key: string): Promise<Uint8Array> {
  return decompressInBackground(bytes, decompressionOptions).catch((cause: unknown) => {
    throw createDamagedError(key, cause)
  })
}

function createDamagedError(key: string, cause: unknown): DeployError {
  const message = `the object ${key} of the backend cannot be decompressed`
  return createError('BACKEND_INVALID', message, { cause })
}

/** Compresses an object. */
export function compress(bytes: Uint8Array, compression: Compression): Uint8Array {
  if (compression === 'gzip') return gzipSync(bytes)
  return compression === 'zstd' ? zstdCompressSync(bytes) : bytes
}

/**
 * Returns the compression of the objects that a process writes, from PULUMI_DIY_BACKEND_GZIP and
 * PULUMI_DIY_BACKEND_ZSTD. Throws CLI_USAGE if both variables are true.
 */
export function readCompression(env: Readonly<Record<string, string | undefined>>): Compression {
  const isGzip = hasBackendFlag(env, 'GZIP')
  const isZstd = hasBackendFlag(env, 'ZSTD')
  if (isGzip && isZstd)
    throw createError(
      'CLI_USAGE',
      'PULUMI_DIY_BACKEND_GZIP and PULUMI_DIY_BACKEND_ZSTD are both set',
    )
  if (isZstd) return 'zstd'
  return isGzip ? 'gzip' : 'none'
}
