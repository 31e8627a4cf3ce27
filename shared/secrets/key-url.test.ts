import { describe, expect, test } from 'vitest'
import { parseKeyUrl } from './key-url.ts'

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
    expect(parseKeyUrl(text)).toEqual({ ...expected, context: {} })
  })

  test('has a decoded encryption context', () => {
    const { context } = parseKeyUrl('awskms://k?context_team=a%20b&context_stack=dev')
    expect(context).toEqual({ team: 'a b', stack: 'dev' })
  })

  test.each([
    '',
    'gcpkms://x',
    'awskms://',
    'awskms:///?region=x',
    'awskms://k?profile=p',
    'k',
    'awskms://k#x',
    'awskms://k?context_a=1&context_a=2',
  ])("'%s' is refused", text => {
    expect(() => parseKeyUrl(text)).toThrow(code('SECRETS_URL_INVALID'))
  })

  test('is reported without its context when it is refused', () => {
    expect(() => parseKeyUrl('awskms://k?context_a=hush&odd=1')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') }),
    )
  })
})
