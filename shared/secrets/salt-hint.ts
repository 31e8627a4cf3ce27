/**
 * The hint for a damaged salt of a passphrase. The usual hint of SECRETS_MALFORMED concerns a
 * ciphertext.
 */
export const saltHint =
  'Restore the salt from a backup: `encryptionsalt` of the stack file, or `secrets_providers` of the state.'
