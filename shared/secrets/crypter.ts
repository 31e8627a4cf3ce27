/**
 * secrets: crypters and secrets managers. Imports errors, config, names and values.
 *
 * Invariants: every encryption uses a new nonce. A key is derived or fetched once per process.
 * After that, encryption is local and synchronous, so codecs may call it. The key of a service
 * never leaves the service: its crypter blocks during a request, unless `prepare` has already
 * fetched the result. No module of this folder writes logs.
 */

/**
 * Encrypts and decrypts text with one key. Throws SECRETS_MALFORMED when a ciphertext cannot be
 * decrypted.
 */
export interface Crypter {
  readonly encrypt: (plaintext: string) => string
  readonly decrypt: (ciphertext: string) => string
}

/** The opened secrets manager of a stack: its public state and its crypter. */
export interface SecretsManager {
  /** `passphrase`, `cloud`, `service`, or `b64` for test vectors. */
  readonly type: string
  /**
   * Public state of the manager, in Pulumi's field order (docs/spec/secrets.md#passphrase-manager,
   * docs/spec/secrets.md#cloud-manager).
   */
  readonly state: Readonly<Record<string, string>>
  readonly crypter: Crypter
  /**
   * Returns a keyed HMAC-SHA-256 in hex, for the comparison of secret values. The key is derived
   * from the manager's key.
   */
  readonly digest: (text: string) => string
  /**
   * Fetches the plaintexts of ciphertexts, and new ciphertexts of plaintexts, in batches. The
   * crypter then needs no request for them. Absent: the crypter never sends a request.
   */
  readonly prepare?: (texts: {
    readonly ciphertexts: readonly string[]
    readonly plaintexts: readonly string[]
  }) => Promise<void>
}
