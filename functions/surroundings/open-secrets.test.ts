import { expect, test } from 'vitest'
import type { StackId } from '../../shared/records/ids.ts'
import { createCloudManager } from '../../shared/secrets/cloud.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase.ts'
import { openSecrets } from './open-secrets.ts'

const stack = 'organization/p/s' as StackId
const named = { provider: '', encryptedKey: '', encryptionSalt: '' }
const keeper = {
  wrap: async (_url: string, key: Uint8Array) => key.map(byte => byte ^ 1),
  unwrap: async (_url: string, sealed: Uint8Array) => sealed.map(byte => byte ^ 1),
}

test('secrets under a key of KMS are opened with it', async () => {
  const url = 'awskms://alias/stacks?region=eu-test-1'
  const made = await createCloudManager(url, keeper)
  const encryptedKey = made.state['encryptedkey'] ?? ''
  const about = { keeper, passphrase: undefined }
  const opened = await openSecrets(about, stack, { ...named, provider: url, encryptedKey })
  expect(opened.crypter.decrypt(made.crypter.encrypt('hush'))).toBe('hush')
})

test('secrets under a passphrase are opened with that of the installation', async () => {
  const made = await createPassphraseManager('pass')
  const encryptionSalt = made.state['salt'] ?? ''
  const opened = await openSecrets({ keeper, passphrase: 'pass' }, stack, {
    ...named,
    encryptionSalt,
  })
  expect(opened.crypter.decrypt(made.crypter.encrypt('hush'))).toBe('hush')
  const without = openSecrets({ keeper, passphrase: undefined }, stack, {
    ...named,
    encryptionSalt,
  })
  await expect(without).rejects.toMatchObject({ code: 'SECRETS_PASSPHRASE_MISSING' })
})

test.each([
  ['another cloud', { provider: 'gcpkms://x' }, 'SECRETS_MANAGER_UNSUPPORTED'],
  ['nothing', {}, 'SECRETS_MANAGER_UNSUPPORTED'],
  ['a key without its data key', { provider: 'awskms://alias/x' }, 'SECRETS_MALFORMED'],
])('a file that names %s is refused', async (_what, about, code) => {
  const opening = openSecrets({ keeper, passphrase: 'p' }, stack, { ...named, ...about })
  await expect(opening).rejects.toMatchObject({ code })
})
