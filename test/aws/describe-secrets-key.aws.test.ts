import { CreateAliasCommand, CreateKeyCommand } from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { describeSecretsKey } from '../../cli/platform/describe-secrets-key.ts'
import { keyAliasOf, secretsKeyDescriptionOf } from '../../shared/config/aws-resource-names.ts'
import { createKmsClient } from '../../shared/platform/aws/clients.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('the key for secrets', ['KMS'], settings => {
  test.each([
    ['of the installation', secretsKeyDescriptionOf('site-a'), 'site-a', true],
    ['that existed before', 'keys of the team', 'site-b', false],
  ])('%s is found by its alias', async (_, Description, installation, isOwn) => {
    const client = createKmsClient(settings(), settings().region)
    try {
      const { KeyMetadata } = await client.send(new CreateKeyCommand({ Description }))
      const { Arn: arn = '' } = KeyMetadata ?? {}
      const AliasName = keyAliasOf(installation, 'secrets')
      await client.send(new CreateAliasCommand({ AliasName, TargetKeyId: arn }))
      expect(await describeSecretsKey(client, installation)).toEqual({ arn, isOwn })
    } finally {
      client.destroy()
    }
  })

  test('of a missing installation is undefined', async () => {
    const client = createKmsClient(settings(), settings().region)
    expect(await describeSecretsKey(client, 'site-c')).toBeUndefined()
    client.destroy()
  })
})
