import { describe, expect, test } from 'vitest'
import { isKeyUrl } from './key-url.ts'
import {
  parseAwsKeyUrl,
  parseAzureKeyUrl,
  parseGcpKeyUrl,
  parseVaultKeyUrl,
  requireValidKeyUrl,
} from './parse-key-url.ts'

const code = (text: string) => expect.objectContaining({ code: text })

describe('a KMS key URL', () => {
  test.each([
    ['awskms://1234abcd-12ab-34cd', { keyId: '1234abcd-12ab-34cd', region: undefined }],
    ['awskms://alias/my-Key?region=eu-west-1', { keyId: 'alias/my-Key', region: 'eu-west-1' }],
    [
      'awskms:///arn:aws:kms:us-west-2:111122223333:key/1234?awssdk=v2',
      { keyId: 'arn:aws:kms:us-west-2:111122223333:key/1234', region: 'us-west-2' },
    ],
    [
      'awskms:///arn:aws:kms:us-west-2:111122223333:alias/a?region=us-east-1',
      { keyId: 'arn:aws:kms:us-west-2:111122223333:alias/a', region: 'us-east-1' },
    ],
  ])('%s is parsed', (text, expected) => {
    expect(parseAwsKeyUrl(text)).toEqual({ ...expected, profile: undefined, context: {} })
  })

  test('names a profile of the AWS configuration files', () => {
    const url = 'awskms://alias/k?region=eu-west-1&profile=audit'
    expect(parseAwsKeyUrl(url)).toMatchObject({ region: 'eu-west-1', profile: 'audit' })
  })

  test('has a decoded encryption context', () => {
    const { context } = parseAwsKeyUrl('awskms://k?context_team=a%20b&context_stack=dev')
    expect(context).toEqual({ team: 'a b', stack: 'dev' })
  })

  test('is reported without its context when it is refused', () => {
    expect(() => parseAwsKeyUrl('awskms://k?context_a=hush&odd=1')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') }),
    )
  })
})

const gcpKey = 'projects/p-1/locations/global/keyRings/r/cryptoKeys/k'

describe('a key URL of another service', () => {
  test.each([
    ['azurekeyvault://acme.vault.azure.net/keys/pulumi', 'acme.vault.azure.net/keys/pulumi'],
    ['azurekeyvault://acme.vault.azure.net/keys/k/0a1b', 'acme.vault.azure.net/keys/k/0a1b'],
    ['azurekeyvault://acme.vault.azure.cn:8443/keys/k/', 'acme.vault.azure.cn:8443/keys/k'],
  ])('%s names a key of Azure', (text, key) => {
    expect(parseAzureKeyUrl(text)).toEqual({ keyId: `https://${key}`, algorithm: 'RSA-OAEP-256' })
  })

  test('of Azure has the algorithm of its parameter', () => {
    const url = 'azurekeyvault://acme.vault.azure.net/keys/k?algorithm=RSA-OAEP'
    expect(parseAzureKeyUrl(url).algorithm).toBe('RSA-OAEP')
  })

  test('of Google Cloud names a key, and may have authenticated data', () => {
    expect(parseGcpKeyUrl(`gcpkms://${gcpKey}`)).toEqual({
      keyName: gcpKey,
      authenticatedData: undefined,
    })
    const { authenticatedData } = parseGcpKeyUrl(
      `gcpkms://${gcpKey}?additional_authenticated_data=_-8=`,
    )
    expect(authenticatedData).toBe('/+8=')
  })

  test.each([
    ['hashivault://pulumi', { keyName: 'pulumi', engine: 'transit' }],
    ['hashivault:///pulumi', { keyName: 'pulumi', engine: 'transit' }],
    ['hashivault://k?engine=team/transit', { keyName: 'k', engine: 'team/transit' }],
  ])('%s names a key of Vault', (text, expected) => {
    expect(parseVaultKeyUrl(text)).toEqual(expected)
  })
})

test.each([
  '',
  'k',
  'localkms://k',
  'awskms://',
  'awskms:///?region=x',
  'awskms://k?endpoint=p',
  'awskms://k#x',
  'awskms://k?context_a=1&context_a=2',
  'azurekeyvault://acme/keys/k',
  'azurekeyvault://acme.vault.azure.net/secrets/k',
  'azurekeyvault://acme.vault.azure.net/keys/k?algorithm=A128GCM',
  'azurekeyvault://acme.vault.azure.net/keys/k?version=1',
  'azurekeyvault://user:word@acme.vault.azure.net/keys/k',
  'azurekeyvault://evil.example/acme.vault.azure.net/keys/k',
  'gcpkms://p/locations/l/keyRings/r/cryptoKeys/k',
  `gcpkms://${gcpKey}/cryptoKeyVersions/1`,
  `gcpkms://${gcpKey}?additional_authenticated_data=%2B`,
  `gcpkms://${gcpKey}?x=1`,
  'hashivault://',
  'hashivault://k?engine=../sys',
  'hashivault://k?version=2',
  'hashivault://a%2Fb%3Fc',
])("the key URL '%s' is refused", text => {
  expect(() => requireValidKeyUrl(text)).toThrow(code('SECRETS_URL_INVALID'))
})

test('a refused key URL is reported with the form of its service', () => {
  expect(() => requireValidKeyUrl('gcpkms://k')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('gcpkms://projects/<project>') }),
  )
})

test('a refused URL with a user is reported without its password', () => {
  expect(() => requireValidKeyUrl('hashivault://user:word@k')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('word') }),
  )
})

test.each(['', 'default', 'passphrase', 'k', 'constructor://k', 'https://x'])(
  "'%s' is no key URL",
  text => {
    expect(isKeyUrl(text)).toBe(false)
  },
)
