import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createError } from '../../errors/error.ts'
import type { SealingPort } from '../../ports/documents.ts'
import { openText, sealingKeyBytes, sealText } from '../records/sealed-text.ts'
import { createStoreUnavailableError } from './store/store-errors.ts'
import { syncPath } from './store/store-paths.ts'

/** The format version at the beginning of a sealed text. */
const formatPrefix = 'v1:'

/**
 * Creates the sealing with AES-256-GCM. The first use creates the key, a file in `home` that only
 * this user can read. Both methods throw STORE_UNAVAILABLE when the key cannot be read or created.
 * `open` also throws SEALED_UNREADABLE.
 */
export function createKeyFileSealing(home: string): SealingPort {
  const path = join(home, 'sealing.key')
  let cachedKey: Buffer | undefined
  const getKey = (): Buffer => {
    cachedKey ??= readOrCreateKey(path, home)
    return cachedKey
  }
  return {
    seal: async (text, context) => {
      return formatPrefix + sealText(getKey(), text, context).toString('base64')
    },
    open: async (sealedText, context) => {
      const key = getKey()
      try {
        if (!sealedText.startsWith(formatPrefix)) throw new Error('another format version')
        return openText(key, Buffer.from(sealedText.slice(formatPrefix.length), 'base64'), context)
      } catch {
        throw createError('SEALED_UNREADABLE', `the secret of the ${context} cannot be decrypted`)
      }
    },
  }
}

/**
 * Reads the key, or creates it. When several processes create a key concurrently, only the first
 * hard link succeeds, and all of them use the linked file. The linked file is always complete.
 */
function readOrCreateKey(path: string, home: string): Buffer {
  try {
    const key = readIfExists(path) ?? createKey(path, home)
    if (key.length !== sealingKeyBytes)
      throw new Error(`it has ${key.length} bytes instead of ${sealingKeyBytes}`)
    return key
  } catch (thrown) {
    throw createStoreUnavailableError(path, thrown)
  }
}

function createKey(path: string, home: string): Buffer {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const temporaryPath = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  writeFileSync(temporaryPath, randomBytes(sealingKeyBytes), {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  })
  try {
    linkSync(temporaryPath, path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  } finally {
    rmSync(temporaryPath)
  }
  // Sealed texts survive a power failure, so their key must survive it too.
  syncPath(home)
  return readFileSync(path)
}

function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}
