import { CreateKeyCommand } from '@aws-sdk/client-kms'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type AwsSettings, createKmsClient } from '../../shared/platform/aws/clients.ts'
import { createKmsKeeper } from '../../shared/platform/aws/kms-key-keeper.ts'
import { createKmsSealing, type KmsSealing } from '../../shared/platform/aws/kms-sealing.ts'
import { defineSealingContract } from '../contract/marks.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('secrets of triggers under KMS', ['KMS'], settings => {
  defineSealingContract('KMS', async () => {
    const { sealing } = await openSealing(settings())
    return { ports: { sealing }, close: async () => sealing.close() }
  })

  describe('a key in KMS', () => {
    test('opens neither a trigger secret as a stack secret nor a stack secret as a trigger secret', async () => {
      const { sealing, keyId } = await openSealing(settings())
      const keeper = createKmsKeeper(settings())
      const sealed = await sealing.seal('hush', 'webhook * a')
      // A sealed text is `k1:<checksum>:<encrypted data key>:<ciphertext>`.
      const key = Buffer.from(sealed.split(':')[2] ?? '', 'base64')
      for (const context of ['', '?context_antichain-purpose=stack'])
        await expect(keeper.unwrap(`awskms://${keyId}${context}`, key)).rejects.toMatchObject({
          code: 'SECRETS_MALFORMED',
        })
      const stackKey = await keeper.wrap(`awskms://${keyId}`, new Uint8Array(32))
      const rest = `${Buffer.from(stackKey).toString('base64')}:${sealed.split(':')[3]}`
      const checksum = createHash('sha256').update(rest).digest('hex').slice(0, 16)
      const forged = `k1:${checksum}:${rest}`
      await expect(sealing.open(forged, 'webhook * a')).rejects.toMatchObject({
        code: 'SEALED_UNREADABLE',
      })
      keeper.close()
      sealing.close()
    })

    test('opens nothing that another key sealed, and is reported as missing if it does not exist', async () => {
      const [one, other] = [await openSealing(settings()), await openSealing(settings())]
      const sealed = await one.sealing.seal('hush', 'x')
      // The service reports a wrong key; the emulator reports a denied access.
      await expect(other.sealing.open(sealed, 'x')).rejects.toMatchObject({
        code: expect.stringMatching(/^(SEALED_UNREADABLE|STORE_DENIED)$/),
      })
      const absent = createKmsSealing(settings(), 'alias/antichain-not-there')
      await expect(absent.seal('a', 'x')).rejects.toMatchObject({ code: 'STORE_MISSING' })
      for (const each of [one.sealing, other.sealing, absent]) each.close()
    })
  })
})

async function openSealing(
  settings: AwsSettings,
): Promise<{ readonly sealing: KmsSealing; readonly keyId: string }> {
  const kms = createKmsClient(settings, settings)
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}))
  kms.destroy()
  const keyId = KeyMetadata?.KeyId ?? ''
  return { sealing: createKmsSealing(settings, keyId), keyId }
}
