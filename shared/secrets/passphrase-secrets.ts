import { pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { error } from '../errors/error.ts'
import type { SecretsManager } from './crypter.ts'
import { createKeyedDigest, createSymmetricCrypter } from './symmetric-crypter.ts'

const derive = promisify(pbkdf2)
const iterations = 1_000_000
const saltBytes = 8
const keyBytes = 32
/** The plaintext that the correct key decrypts. */
const probe = 'pulumi'

/** Deriving a key takes a good part of a second, so each key is derived once per process. */
const derived = new Map<string, Promise<Uint8Array>>()

function deriveKey(passphrase: string, salt: string): Promise<Uint8Array> {
  const name = `${salt}\n${passphrase}`
  const known = derived.get(name)
  if (known !== undefined) return known
  const key = derive(passphrase, Buffer.from(salt, 'base64'), iterations, keyBytes, 'sha256')
  derived.set(name, key)
  return key
}

function createManager(key: Uint8Array, salt: string): SecretsManager {
  return {
    type: 'passphrase',
    state: { salt },
    crypter: createSymmetricCrypter(key),
    digest: createKeyedDigest(key),
  }
}

/** Creates a manager with a new salt (docs/spec/secrets.md#passphrase-manager). */
export async function createPassphraseManager(passphrase: string): Promise<SecretsManager> {
  const salt = randomBytes(saltBytes).toString('base64')
  const key = await deriveKey(passphrase, salt)
  return createManager(key, `v1:${salt}:${createSymmetricCrypter(key).encrypt(probe)}`)
}

/**
 * Opens the manager of a salt from state or stack file. Throws SECRETS_PASSPHRASE_WRONG,
 * SECRETS_MALFORMED.
 */
export async function openPassphraseManager(
  salt: string,
  passphrase: string,
): Promise<SecretsManager> {
  const [version, bytes, ...check] = salt.split(':')
  if (version !== 'v1' || bytes === undefined || check.length !== 3)
    throw error('SECRETS_MALFORMED', 'the encryption salt does not have the form v1:<salt>:<check>')
  const key = await deriveKey(passphrase, bytes)
  try {
    if (createSymmetricCrypter(key).decrypt(check.join(':')) === probe)
      return createManager(key, salt)
  } catch (cause) {
    throw error('SECRETS_PASSPHRASE_WRONG', 'incorrect passphrase', { cause })
  }
  throw error('SECRETS_PASSPHRASE_WRONG', 'incorrect passphrase')
}

/**
 * Returns the passphrase from the environment: the value of one variable (even if empty), else the
 * file that the other names.
 */
export function readPassphrase(
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): string | undefined {
  const direct = env['PULUMI_CONFIG_PASSPHRASE']
  if (direct !== undefined) return direct
  const file = env['PULUMI_CONFIG_PASSPHRASE_FILE']
  if (file === undefined || file === '') return undefined
  try {
    return readFile(file).trim()
  } catch (cause) {
    throw error('SECRETS_PASSPHRASE_MISSING', `cannot read the passphrase file '${file}'`, {
      cause,
    })
  }
}
