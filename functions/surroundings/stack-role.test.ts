import { expect, test } from 'vitest'
import type { ConfigValue } from '../../shared/engine/request.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { roleKey, stackEnvironment } from './stack-role.ts'

const stack = 'organization/p/s' as StackId
const env = {
  PATH: '/bin',
  LANG: 'C',
  ANTICHAIN_JOURNAL_TABLE: 'journal',
  AWS_ACCESS_KEY_ID: 'the function',
  AWS_SESSION_TOKEN: 'its token',
  AWS_LAMBDA_RUNTIME_API: 'there',
  LAMBDA_TASK_ROOT: '/var/task',
  _HANDLER: 'main.handler',
  PULUMI_CONFIG_PASSPHRASE: 'secret',
  NODE_OPTIONS: '--inspect',
}
const given = { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' }

function asked(role?: string) {
  const values: readonly (readonly [string, ConfigValue])[] =
    role === undefined ? [] : [[roleKey, { text: role, secret: false } as ConfigValue]]
  return stackEnvironment(
    {
      env,
      region: 'eu-test-1',
      home: '/tmp/home',
      assume: async (name, request) => {
        expect([name, request.stack]).toEqual([role, stack])
        return given
      },
    },
    { stack, config: new Map(values) },
  )
}

test('a program sees nothing of the function that runs it', async () => {
  expect(await asked()).toEqual({
    PATH: '/bin',
    LANG: 'C',
    HOME: '/tmp/home',
    AWS_REGION: 'eu-test-1',
  })
})

test('a program has the credentials of the role that its stack names, and no others', async () => {
  expect(await asked('arn:aws:iam::123456789012:role/deploys/shop')).toMatchObject({
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_SESSION_TOKEN: 'c',
  })
})

test.each(['arn:aws:iam::123456789012:user/x', 'shop', 'arn:aws:iam::1:role/x'])(
  '%s is no role, and is refused by its key',
  async role => {
    await expect(asked(role)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(roleKey),
    })
  },
)
