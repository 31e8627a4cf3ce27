import { expect, test } from 'vitest'
import type { StackId } from '../../records/ids.ts'
import { createCloudManager } from '../../secrets/cloud-secrets.ts'
import { createPassphraseManager } from '../../secrets/passphrase-secrets.ts'
import { createServiceKey, createServiceManager } from '../../secrets/service-keys.ts'
import { openStackSecrets } from './open-stack-secrets.ts'

const stack = 'organization/p/s' as StackId
const emptyFields = { provider: '', encryptedKey: '', encryptionSalt: '' }
const keeper = {
  wrap: async (_url: string, key: Uint8Array) => key.map(byte => byte ^ 1),
  unwrap: async (_url: string, sealed: Uint8Array) => sealed.map(byte => byte ^ 1),
}

const allowedKeys = 'own'
const keyUrl = 'awskms://alias/stacks?region=eu-test-1'

test('secrets encrypted with a KMS key are opened with it', async () => {
  const manager = await createCloudManager({ url: keyUrl, stack }, keeper)
  const { url: provider = '', encryptedkey: encryptedKey = '' } = manager.state
  const deps = { keeper, passphrase: undefined, allowedKeys } as const
  const opened = await openStackSecrets(deps, stack, { ...emptyFields, provider, encryptedKey })
  expect(opened.crypter.decrypt(manager.crypter.encrypt('hush'))).toBe('hush')
})

test('a stack file with the data key of another stack or of none is refused, and the key service is not called', async () => {
  const other = 'organization/p/other' as StackId
  const manager = await createCloudManager({ url: keyUrl, stack: other }, keeper)
  const { url: provider = '', encryptedkey: encryptedKey = '' } = manager.state
  const unwrap = () => Promise.reject(new Error('the key service was called'))
  const deps = { keeper: { ...keeper, unwrap }, passphrase: undefined, allowedKeys } as const
  const open = (file: Partial<typeof emptyFields>, kind: 'own' | 'own-or-unnamed' = 'own') =>
    openStackSecrets({ ...deps, allowedKeys: kind }, stack, {
      ...emptyFields,
      encryptedKey,
      ...file,
    })
  for (const kind of ['own', 'own-or-unnamed'] as const)
    await expect(open({ provider }, kind)).rejects.toMatchObject({ code: 'SECRETS_STACK_DIFFERS' })
  await expect(open({ provider: keyUrl })).rejects.toMatchObject({ code: 'SECRETS_STACK_MISSING' })
})

test('secrets encrypted with a passphrase are opened with that of the installation', async () => {
  const manager = await createPassphraseManager('pass')
  const encryptionSalt = manager.state['salt'] ?? ''
  const opened = await openStackSecrets({ keeper, passphrase: 'pass', allowedKeys }, stack, {
    ...emptyFields,
    encryptionSalt,
  })
  expect(opened.crypter.decrypt(manager.crypter.encrypt('hush'))).toBe('hush')
  const withoutPassphrase = openStackSecrets(
    { keeper, passphrase: undefined, allowedKeys },
    stack,
    {
      ...emptyFields,
      encryptionSalt,
    },
  )
  await expect(withoutPassphrase).rejects.toMatchObject({ code: 'SECRETS_PASSPHRASE_MISSING' })
})

test('a stack file without a manager uses the manager `service` if the state of its stack names that manager', async () => {
  const manager = createServiceManager([createServiceKey()], { stack: 's' })
  const openRecordedServiceManager = async (id: StackId) => (id === stack ? manager : undefined)
  const deps = { keeper, passphrase: undefined, allowedKeys, openRecordedServiceManager } as const
  expect(await openStackSecrets(deps, stack, emptyFields)).toBe(manager)
  const other = openStackSecrets(deps, 'organization/p/other' as StackId, emptyFields)
  await expect(other).rejects.toMatchObject({ code: 'SECRETS_MANAGER_UNSUPPORTED' })
})

test.each([
  ['an unknown service', { provider: 'localkms://x' }, 'SECRETS_MANAGER_UNSUPPORTED'],
  ['no secrets manager', {}, 'SECRETS_MANAGER_UNSUPPORTED'],
  ['a key without its data key', { provider: 'awskms://alias/x' }, 'SECRETS_MALFORMED'],
])('a stack file with %s is refused', async (_what, fields, code) => {
  const opening = openStackSecrets({ keeper, passphrase: 'p', allowedKeys }, stack, {
    ...emptyFields,
    ...fields,
  })
  await expect(opening).rejects.toMatchObject({ code })
})
