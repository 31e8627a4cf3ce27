/** Stacks under keys of Vault's transit engine, over a development server of OpenBao. */
import { beforeAll, describe, expect, test } from 'vitest'
import { emulatorVaultToken } from '../../infra/emulators/emulators.ts'
import { createVaultKeeper } from '../../shared/platform/key-services/vault-key-keeper.ts'
import { testStackUnderKey } from '../key-services/stack-under-key.ts'
import { describeWithServices } from './describe-with-services.ts'
import { describeVaultEngine } from './vault-engine.ts'

describeWithServices('keys in Vault', ['VAULT'], () => {
  const { address, keyUrlOf, call, createKeys, rotate } = describeVaultEngine()
  const env = { VAULT_ADDR: address, VAULT_TOKEN: emulatorVaultToken }
  let deniedToken = ''

  beforeAll(async () => {
    await createKeys('pulumi', 'other')
    const created = (await call('auth/token/create', { policies: ['default'] })) as {
      readonly auth: { readonly client_token: string }
    }
    deniedToken = created.auth.client_token
  })

  test('a sealed data key is a ciphertext of Vault, and opens after a rotation of its key', async () => {
    const keeper = createVaultKeeper(env)
    const key = new Uint8Array(32).fill(7)
    const sealed = await keeper.wrap(keyUrlOf('pulumi'), key)
    expect(Buffer.from(sealed).toString()).toMatch(/^vault:v1:[A-Za-z0-9+/]+=*$/)
    await rotate('pulumi')
    expect(Buffer.from(await keeper.unwrap(keyUrlOf('pulumi'), sealed))).toEqual(Buffer.from(key))
    const rotated = await keeper.wrap(keyUrlOf('pulumi'), key)
    expect(Buffer.from(rotated).toString()).toMatch(/^vault:v2:/)
  })

  test('the variables with SERVER in their names have priority, as in Pulumi', async () => {
    const keeper = createVaultKeeper({
      VAULT_SERVER_URL: `${address}/`,
      VAULT_SERVER_TOKEN: emulatorVaultToken,
      VAULT_ADDR: 'http://127.0.0.1:9',
      VAULT_TOKEN: 'wrong',
    })
    expect((await keeper.wrap(keyUrlOf('pulumi'), new Uint8Array(32))).length).toBeGreaterThan(32)
  })

  describe('a stack', () => {
    testStackUnderKey({
      url: keyUrlOf('pulumi'),
      otherUrl: keyUrlOf('other'),
      // Vault creates a missing key in an existing engine, so this URL names a missing engine.
      absentUrl: 'hashivault://pulumi?engine=absent',
      malformedUrl: 'hashivault://pulumi?version=2',
      env: () => env,
      envWithoutLogin: { VAULT_TOKEN: '' },
      envWithoutNetwork: { VAULT_ADDR: 'http://127.0.0.1:9' },
      deny: () => ({ VAULT_TOKEN: deniedToken }),
      allow: () => undefined,
      listBodies: () => [],
    })
  })
})
