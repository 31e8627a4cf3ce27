/** Errors of secrets managers. These rows are part of `catalogue.ts`. */
export const secretsCodes = {
  SECRETS_PASSPHRASE_WRONG: {
    exit: 1,
    hint: 'Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase of this stack.',
  },
  SECRETS_PASSPHRASE_MISSING: {
    exit: 1,
    hint: 'Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.',
  },
  SECRETS_MANAGER_UNSUPPORTED: {
    exit: 1,
    hint: 'Export the state with --show-secrets where its secrets can be decrypted, and import that file.',
  },
  SECRETS_URL_INVALID: {
    exit: 1,
    hint: 'Write the URL as awskms://…, azurekeyvault://…, gcpkms://… or hashivault://…; README.md has the forms.',
  },
  SECRETS_KEY_UNUSABLE: {
    exit: 1,
    hint: 'Enable the key, or cancel its deletion; its secrets cannot be decrypted without it.',
  },
  SECRETS_KEY_MISSING: {
    exit: 1,
    hint: 'Check the name of the key, and that it exists in this account, project or vault.',
  },
  SECRETS_KEY_DENIED: {
    exit: 1,
    hint: 'Grant these credentials the permission to encrypt and decrypt with the key.',
  },
  SECRETS_CREDENTIALS_MISSING: {
    exit: 1,
    hint: 'Log in at the key service, or set the variables with its credentials; README.md lists them.',
  },
  SECRETS_SERVICE_UNAVAILABLE: {
    exit: 1,
    hint: 'Check the network and the health of the key service, and run the command again. Nothing was changed.',
  },
  SECRETS_PROVIDER_CHANGED: {
    exit: 1,
    hint: 'Keep the secrets provider of the stack, or change it with `antichain stack change-secrets-provider`.',
  },
  SECRETS_STACK_MISSING: {
    exit: 1,
    hint: 'Run `antichain stack change-secrets-provider <key URL>` in the program folder, and upload the program again.',
  },
  SECRETS_STACK_DIFFERS: {
    exit: 1,
    hint: 'Restore the stack file of this stack. After a rename or a copy, run `antichain stack change-secrets-provider <key URL>`.',
  },
  SECRETS_MALFORMED: {
    exit: 1,
    hint: 'Restore the ciphertext from a backup: it is damaged or belongs to another stack. After an interrupted `antichain stack change-secrets-provider`, run it again.',
  },
} as const
