/**
 * secrets: crypters and secrets managers. Imports errors, config, names and values.
 *
 * Invariants: every encryption uses a new nonce. A key is derived or fetched once per process, so
 * encryption is local and synchronous, and codecs may call it. Nothing here writes logs.
 */

/**
 * Encrypts and decrypts text with one key. Throws SECRETS_MALFORMED when a ciphertext cannot be
 * decrypted.
 */
export interface Crypter {
  readonly encrypt: (plaintext: string) => string
  readonly decrypt: (ciphertext: string) => string
}

/** The secrets manager of a stack: its public state, and the crypter that it opened. */
export interface SecretsManager {
  /** `passphrase` or `cloud`. */
  readonly type: string
  /**
   * Public state of the manager, in Pulumi's field order (docs/spec/secrets.md#passphrase-manager,
   * docs/spec/secrets.md#cloud-manager).
   */
  readonly state: Readonly<Record<string, string>>
  readonly crypter: Crypter
  /**
   * Keyed HMAC-SHA-256 (hex) with a key derived from the manager's, for comparing secret values.
   */
  readonly digest: (text: string) => string
}
