/**
 * secrets: crypters and secrets managers. Imports errors, config, names and values.
 *
 * Invariants: a fresh nonce for every encryption; a key is derived or fetched once per process, so
 * that sealing itself is local and synchronous and codecs may call it; nothing here logs.
 */

/**
 * Seals and opens text under one key. Throws SECRETS_MALFORMED when a ciphertext cannot be opened.
 */
export interface Crypter {
  readonly encrypt: (plaintext: string) => string
  readonly decrypt: (ciphertext: string) => string
}

/**
 * How a stack keeps its secrets: what the state says of it, and the crypter that opened with it.
 */
export interface SecretsManager {
  /** `passphrase` or `cloud`. */
  readonly type: string
  /**
   * Public state of the manager, in Pulumi's field order (docs/spec/secrets.md#passphrase-manager,
   * docs/spec/secrets.md#cloud-manager).
   */
  readonly state: Readonly<Record<string, string>>
  readonly crypter: Crypter
  /** Keyed HMAC-SHA-256 (hex) under a key derived from the manager's: to compare sealed things. */
  readonly digest: (text: string) => string
}
