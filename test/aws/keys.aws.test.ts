import {
  CreateAliasCommand,
  CreateKeyCommand,
  EncryptCommand,
  type KMSClient,
} from '@aws-sdk/client-kms'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AwsSettings, createKmsClient } from '../../shared/platform/aws/clients.ts'
import { createKmsKeeper, type KmsKeeper } from '../../shared/platform/aws/kms-key-keeper.ts'
import { withKeyStack } from '../../shared/secrets/key-stack.ts'
import { createCloudManager } from '../../shared/secrets/cloud-secrets.ts'
import { openManagerFromState } from '../../shared/secrets/secrets-from-state.ts'
import { createSymmetricCrypter } from '../../shared/secrets/symmetric-crypter.ts'
import { describeWithServices } from './describe-with-services.ts'

const stack = 'organization/shop/dev'

describeWithServices('keys in KMS', ['KMS'], settings => {
  describe('a cloud manager', () => {
    let kms: KMSClient
    let keeper: KmsKeeper
    let arn = ''
    const alias = `alias/antichain-${randomUUID()}`
    const readSettings = (): AwsSettings => settings()
    beforeAll(async () => {
      kms = createKmsClient(readSettings(), readSettings())
      keeper = createKmsKeeper(readSettings())
      const { KeyMetadata } = await kms.send(new CreateKeyCommand({}))
      arn = KeyMetadata?.Arn ?? ''
      await kms.send(new CreateAliasCommand({ AliasName: alias, TargetKeyId: arn }))
    })
    afterAll(() => {
      keeper.close()
      kms.destroy()
    })

    test("has a state in Pulumi's format, from which its secrets are opened", async () => {
      for (const url of [
        `awskms://${alias}?region=us-east-1`,
        `awskms:///${arn}?awssdk=v2`,
        `awskms://${arn.split('/')[1] ?? ''}?context_stack=dev&context_team=a%20b`,
      ]) {
        const manager = await createCloudManager({ url, stack }, keeper)
        expect(Object.keys(manager.state)).toEqual(['url', 'encryptedkey'])
        expect(manager).toMatchObject({ type: 'cloud', state: { url: withKeyStack(url, stack) } })
        const state = JSON.parse(JSON.stringify(manager.state)) as unknown
        const fresh = createKmsKeeper(readSettings())
        const opened = await openManagerFromState({ type: 'cloud', state }, undefined, {
          keeper: fresh,
          allowed: { kind: 'own', stack },
        })
        fresh.close()
        expect(opened.state).toEqual(manager.state)
        expect(opened.crypter.decrypt(manager.crypter.encrypt('hush'))).toBe('hush')
        expect(opened.digest('x')).toBe(manager.digest('x'))
      }
    })

    test('opens a data key that another program sealed in the same form', async () => {
      const key = new Uint8Array(32).fill(9)
      const sealed = await kms.send(new EncryptCommand({ KeyId: arn, Plaintext: key }))
      const encryptedkey = Buffer.from(sealed.CiphertextBlob ?? []).toString('base64')
      const state = { url: `awskms://${alias}`, encryptedkey }
      const opened = await openManagerFromState({ type: 'cloud', state }, undefined, {
        keeper,
        allowed: { kind: 'own-or-unnamed', stack },
      })
      expect(opened.crypter.decrypt(createSymmetricCrypter(key).encrypt('theirs'))).toBe('theirs')
    })

    test('is refused with another context, a damaged key, no key, or an unknown key', async () => {
      const url = `awskms://${alias}?context_stack=dev`
      const { state } = await createCloudManager({ url, stack }, keeper)
      const open = (changed: Readonly<Record<string, string>>) =>
        openManagerFromState({ type: 'cloud', state: { ...state, ...changed } }, undefined, {
          keeper,
          allowed: { kind: 'any' },
        })
      const damaged = Buffer.from(state['encryptedkey'] ?? '', 'base64')
      damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
      const cases = [
        [{ url: withKeyStack(url.replace('dev', 'prod'), stack) }, 'SECRETS_MALFORMED'],
        // KMS itself refuses a data key under the name of another stack, or without a name.
        [{ url: withKeyStack(url, 'organization/shop/other') }, 'SECRETS_MALFORMED'],
        [{ url }, 'SECRETS_MALFORMED'],
        [{ encryptedkey: damaged.toString('base64') }, 'SECRETS_MALFORMED'],
        [{ encryptedkey: '' }, 'SECRETS_MALFORMED'],
        [{ url: 'awskms://alias/antichain-not-there' }, 'SECRETS_KEY_MISSING'],
        [{ url: 'awskms://?region=us-east-1' }, 'SECRETS_URL_INVALID'],
        // The keeper of functions has no client of another key service.
        [{ url: 'hashivault://k' }, 'SECRETS_URL_INVALID'],
      ] as const
      for (const [changed, code] of cases)
        await expect(open(changed), JSON.stringify(changed)).rejects.toMatchObject({ code })
      await expect(open({})).resolves.toMatchObject({ type: 'cloud' })
    })
  })
})
