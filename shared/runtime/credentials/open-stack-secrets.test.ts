import { expect, test } from 'vitest'
import type { StackId } from '../../records/ids.ts'
import { createCloudManager } from '../../secrets/cloud-secrets.ts'
import { createPassphraseManager } from '../../secrets/passphrase-secrets.ts'
import { openStackSecrets } from './open-stack-secrets.ts'

const stack = 'organization/p/s' as StackId
const named = { provider: '', encryptedKey: '', encryptionSalt: '' }
const keeper = {
  wrap: async (_url: string, key: Uint8Array) => key.map(byte => byte ^ 1),
  unwrap: async (_url: string, sealed: Uint8Array) => sealed.map(byte => byte ^ 1),
}

test('secrets encrypted with a KMS key are opened with it', async () => {
  const url = 'awskms://alias/stacks?region=eu-test-1'
  const made = await createCloudManager(url, keeper)
  const encryptedKey = made.state['encryptedkey'] ?? ''
  const deps = { keeper, passphrase: undefined }
  const opened = await openStackSecrets(deps, stack, { ...named, provider: url, encryptedKey })
  expect(opened.crypter.decrypt(made.crypter.encrypt('hush'))).toBe('hush')
})

test('secrets encrypted with a passphrase are opened with that of the installation', async () => {
  const made = await createPassphraseManager('pass')
  const encryptionSalt = made.state['salt'] ?? ''
  const opened = await openStackSecrets({ keeper, passphrase: 'pass' }, stack, {
    ...named,
    encryptionSalt,
  })
  expect(opened.crypter.decrypt(made.crypter.encrypt('hush'))).toBe('hush')
  const without = openStackSecrets({ keeper, passphrase: undefined }, stack, {
    ...named,
    encryptionSalt,
  })
  await expect(without).rejects.toMatchObject({ code: 'SECRETS_PASSPHRASE_MISSING' })
})

test.each([
  ['another cloud', { provider: 'gcpkms://x' }, 'SECRETS_MANAGER_UNSUPPORTED'],
  ['nothing', {}, 'SECRETS_MANAGER_UNSUPPORTED'],
  ['a key without its data key', { provider: 'awskms://alias/x' }, 'SECRETS_MALFORMED'],
])('a stack file with %s is refused', async (_what, deps, code) => {
  const opening = openStackSecrets({ keeper, passphrase: 'p' }, stack, { ...named, ...deps })
  await expect(opening).rejects.toMatchObject({ code })
})
