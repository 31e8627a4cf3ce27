import { expect, test } from 'vitest'
import { createPassphraseManager } from '../../secrets/passphrase-secrets.ts'
import { manifestOf } from '../../state/snapshot-codec.ts'
import type { Json, StoredDeployment } from '../../state/stored.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import { listCiphertexts } from '../../state/list-ciphertexts.ts'
import { resealForDeployment } from './reseal-for-deployment.ts'

const oldManager = await createPassphraseManager('pw')
const newManager = await createPassphraseManager('pw')
const secretMark = '4dabf18193072939515e22adb298388d'

function createState({ type, state, crypter }: SecretsManager, secret?: string): StoredDeployment {
  const inputs =
    secret === undefined
      ? {}
      : {
          key: {
            [secretMark]: '1b47061264138c4ac30d75fd1eb44270',
            ciphertext: crypter.encrypt(JSON.stringify(secret)),
          },
        }
  const urn = 'urn:pulumi:dev::shop::pkg:index:Thing::thing'
  return {
    manifest: manifestOf('', ''),
    secrets_providers: { type, state },
    resources: [{ urn, custom: false, type: 'pkg:index:Thing', inputs }],
    metadata: {},
  }
}

test('secrets of another manager are encrypted again with the manager of the stack file', async () => {
  const state = createState(oldManager, 'hush')
  const sealed = await resealForDeployment(state, {
    secrets: newManager,
    openStateSecrets: async () => oldManager,
  })
  expect(sealed.secrets_providers).toEqual({ type: 'passphrase', state: newManager.state })
  expect(listCiphertexts(sealed).map(newManager.crypter.decrypt)).toEqual(['"hush"'])
})

test('a state of the same manager, and one without secrets, are returned as they are', async () => {
  for (const state of [createState(newManager, 'hush'), createState(oldManager)])
    expect(await resealForDeployment(state, { secrets: newManager })).toBe(state)
})

test('a state with another address of the same key is returned as it is', async () => {
  const { type, state: fields } = newManager
  const providers = { type, state: { ...fields, note: 'other address' } }
  const state = { ...createState(newManager, 'hush'), secrets_providers: providers }
  expect(await resealForDeployment(state, { secrets: newManager })).toBe(state)
})

test('secrets whose manager is not available are refused', async () => {
  const state = createState(oldManager, 'hush')
  await expect(resealForDeployment(state, { secrets: newManager })).rejects.toMatchObject({
    code: 'SECRETS_PROVIDER_CHANGED',
  })
})

test('a refusal names the keys of two managers of one type, without their parameters', async () => {
  const keyOf = (key: string): Json => ({
    url: `awskms://alias/${key}?secret=x`,
    encryptedkey: key,
  })
  const state = {
    ...createState(oldManager, 'hush'),
    secrets_providers: { type: 'cloud', state: keyOf('old') },
  }
  const secrets = { ...newManager, type: 'cloud', state: keyOf('new') } as SecretsManager
  await expect(resealForDeployment(state, { secrets })).rejects.toThrow(
    'the secrets of the state have another manager (awskms://alias/old) than the stack file (awskms://alias/new)',
  )
})

test('a manager of an unknown type is refused, also without secrets', async () => {
  const state = { ...createState(oldManager), secrets_providers: { type: 'weird', state: {} } }
  await expect(resealForDeployment(state, { secrets: newManager })).rejects.toMatchObject({
    code: 'SECRETS_MANAGER_UNSUPPORTED',
  })
})
