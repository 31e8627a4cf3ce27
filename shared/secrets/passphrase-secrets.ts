import { pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { createError } from '../errors/error.ts'
import type { SecretsManager } from './crypter.ts'
import { saltHint } from './salt-hint.ts'
import { createKeyedDigest, createSymmetricCrypter } from './symmetric-crypter.ts'

const pbkdf2Promise = promisify(pbkdf2)
const iterations = 1_000_000
const saltBytes = 8
const keyBytes = 32
/**
 * The plaintext of the check value in an encryption salt (`v1:<salt>:<check value>`). Only the
 * correct key decrypts the check value to this text.
 */
const probeText = 'pulumi'

/**
 * Derived keys, by salt and passphrase. A derivation takes some tenths of a second, so each process
 * derives a key once.
 */
const derivedKeys = new Map<string, Promise<Uint8Array>>()

function deriveKey(passphrase: string, salt: string): Promise<Uint8Array> {
  const cacheKey = `${salt}\n${passphrase}`
  const cachedKey = derivedKeys.get(cacheKey)
  if (cachedKey !== undefined) return cachedKey
  const key = pbkdf2Promise(passphrase, Buffer.from(salt, 'base64'), iterations, keyBytes, 'sha256')
  derivedKeys.set(cacheKey, key)
  return key
}

function toPassphraseManager(key: Uint8Array, encryptionSalt: string): SecretsManager {
  return {
    type: 'passphrase',
    state: { salt: encryptionSalt },
    crypter: createSymmetricCrypter(key),
    digest: createKeyedDigest(key),
  }
}

/** Creates a manager with a new salt (docs/spec/secrets.md#passphrase-manager). */
export async function createPassphraseManager(passphrase: string): Promise<SecretsManager> {
  const salt = randomBytes(saltBytes).toString('base64')
  const key = await deriveKey(passphrase, salt)
  return toPassphraseManager(key, `v1:${salt}:${createSymmetricCrypter(key).encrypt(probeText)}`)
}

/**
 * Opens the manager of an encryption salt from a state or stack file. Throws
 * SECRETS_PASSPHRASE_WRONG, SECRETS_MALFORMED.
 */
export async function openPassphraseManager(
  encryptionSalt: string,
  passphrase: string,
): Promise<SecretsManager> {
  const [version, salt, ...checkParts] = encryptionSalt.split(':')
  if (version !== 'v1' || salt === undefined || checkParts.length !== 3)
    throw createError(
      'SECRETS_MALFORMED',
      'the encryption salt does not have the form v1:<salt>:<check>',
      { hint: saltHint },
    )
  const key = await deriveKey(passphrase, salt)
  try {
    if (createSymmetricCrypter(key).decrypt(checkParts.join(':')) === probeText)
      return toPassphraseManager(key, encryptionSalt)
  } catch (cause) {
    throw createError('SECRETS_PASSPHRASE_WRONG', 'incorrect passphrase', { cause })
  }
  throw createError('SECRETS_PASSPHRASE_WRONG', 'incorrect passphrase')
}

/**
 * Returns the passphrase from the environment: the value of `PULUMI_CONFIG_PASSPHRASE` (even if
 * empty), else the trimmed contents of the file that `PULUMI_CONFIG_PASSPHRASE_FILE` names. Returns
 * undefined if neither is set. Throws SECRETS_PASSPHRASE_MISSING for an unreadable file.
 */
export function readPassphrase(
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): string | undefined {
  const passphrase = env['PULUMI_CONFIG_PASSPHRASE']
  if (passphrase !== undefined) return passphrase
  const file = env['PULUMI_CONFIG_PASSPHRASE_FILE']
  if (file === undefined || file === '') return undefined
  try {
    return readFile(file).trim()
  } catch (cause) {
    throw createError('SECRETS_PASSPHRASE_MISSING', `cannot read the passphrase file '${file}'`, {
      cause,
    })
  }
}
