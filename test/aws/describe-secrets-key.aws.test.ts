import {
  CreateAliasCommand,
  CreateKeyCommand,
  type CreateKeyCommandInput,
  DisableKeyCommand,
  type KMSClient,
} from '@aws-sdk/client-kms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeSecretsKey, findSecretsKeyFault } from '../../cli/platform/describe-secrets-key.ts'
import { awsTags, keyAliasOf } from '../../shared/config/aws-resource-names.ts'
import { createKmsClient } from '../../shared/platform/aws/clients.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('the key for secrets', ['KMS'], settings => {
  let client: KMSClient
  beforeAll(() => {
    client = createKmsClient(settings(), settings())
  })
  afterAll(() => client.destroy())

  const createKey = async (input: CreateKeyCommandInput = {}): Promise<string> =>
    (await client.send(new CreateKeyCommand(input))).KeyMetadata?.Arn ?? ''
  const ownedBy = (installation: string): CreateKeyCommandInput => ({
    Tags: [{ TagKey: awsTags.installation, TagValue: installation }],
  })
  const addAlias = (arn: string, installation: string) => {
    const AliasName = keyAliasOf(installation, 'secrets')
    return client.send(new CreateAliasCommand({ AliasName, TargetKeyId: arn }))
  }

  test.each([
    ['of the installation', 'site-a', ownedBy('site-a'), true],
    ['that existed before', 'site-b', {}, false],
  ])('%s is found by its alias', async (_, installation, input, isOwn) => {
    const arn = await createKey(input)
    await addAlias(arn, installation)
    expect(await describeSecretsKey(client, installation)).toEqual({ arn, isOwn })
  })

  test('of a missing installation is undefined', async () => {
    expect(await describeSecretsKey(client, 'site-c')).toBeUndefined()
  })

  test('can be any enabled symmetric key without an installation', async () => {
    const arn = await createKey()
    expect(await findSecretsKeyFault(client, arn)).toBeUndefined()
    await addAlias(arn, 'site-d')
    expect(await findSecretsKeyFault(client, arn)).toContain("the installation 'site-d'")
    await client.send(new DisableKeyCommand({ KeyId: arn.split('/')[1] }))
    expect(await findSecretsKeyFault(client, arn)).toBe('the key is not enabled')
    // The emulator creates no key for signatures.
    const signingClient = { send: async () => ({ KeyMetadata: { KeyState: 'Enabled' } }) } as never
    expect(await findSecretsKeyFault(signingClient, arn)).toContain('symmetrically')
    const owned = await createKey(ownedBy('site-e'))
    expect(await findSecretsKeyFault(client, owned)).toContain(
      "created by the installation 'site-e'",
    )
    const absent = arn.replace(/[^/]+$/, '00000000-0000-0000-0000-000000000000')
    expect(await findSecretsKeyFault(client, absent)).toContain('does not exist')
  })
})
