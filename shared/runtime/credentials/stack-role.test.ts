import { expect, test } from 'vitest'
import type { ConfigValue } from '../../engine/request.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { silentLogger } from '../../platform/system/logger.ts'
import { createCredentialsEndpoint } from './credentials-endpoint.ts'
import { previewRoleKey, roleKey, resolveStackVariables } from './stack-role.ts'

const stack = 'organization/p/s' as StackId
const env = {
  PATH: '/bin',
  LANG: 'C',
  ANTICHAIN_JOURNAL_TABLE: 'journal',
  AWS_ACCESS_KEY_ID: 'the function',
  AWS_SESSION_TOKEN: 'its token',
  AWS_LAMBDA_RUNTIME_API: 'there',
  LAMBDA_TASK_ROOT: '/var/task',
  ECS_CONTAINER_METADATA_URI_V4: 'http://169.254.170.2/v4/id',
  _HANDLER: 'main.handler',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318',
  PULUMI_CONFIG_PASSPHRASE: 'secret',
  NODE_OPTIONS: '--inspect',
}
const expiresAt = Date.parse('2999-01-01T00:00:00Z') as EpochMs
const credentials = { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c', expiresAt }
const { offer } = createCredentialsEndpoint(silentLogger)

const toConfig = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, ConfigValue> =>
  new Map(
    Object.entries(texts).map(([key, text]) => [key, { text, isSecret: false } as ConfigValue]),
  )

function variablesWithRole(role?: string) {
  return resolveStackVariables(
    {
      env,
      region: 'eu-test-1',
      home: '/tmp/home',
      assume: async (name, request) => {
        expect([name, request.stack]).toEqual([role, stack])
        return credentials
      },
      offer,
    },
    { stack, config: toConfig(role === undefined ? {} : { [roleKey]: role }), dryRun: false },
  )
}

test('a program does not see variables of the function that runs it', async () => {
  expect(await variablesWithRole()).toEqual({
    PATH: '/bin',
    LANG: 'C',
    HOME: '/tmp/home',
    AWS_REGION: 'eu-test-1',
  })
})

test('a program finds the credentials of the role that its stack names, and no others', async () => {
  const variables = await variablesWithRole('arn:aws:iam::123456789012:role/deploys/shop')
  expect(
    Object.keys(variables)
      .filter(name => name.startsWith('AWS_'))
      .toSorted(),
  ).toEqual([
    'AWS_CONTAINER_AUTHORIZATION_TOKEN',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    'AWS_REGION',
  ])
  const answer = await fetch(variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? '', {
    headers: { authorization: variables['AWS_CONTAINER_AUTHORIZATION_TOKEN'] ?? '' },
  })
  expect(await answer.json()).toEqual({
    AccessKeyId: 'a',
    SecretAccessKey: 'b',
    Token: 'c',
    Expiration: '2999-01-01T00:00:00.000Z',
  })
})

const deployRole = 'arn:aws:iam::123456789012:role/deploy'
const previewRole = 'arn:aws:iam::123456789012:role/preview'
const otherRole = 'arn:aws:iam::123456789012:role/other'
const bothRoles = { [roleKey]: deployRole, [previewRoleKey]: previewRole }

/** Returns the role that a request assumes, or undefined for none. */
async function findRole(request: {
  readonly dryRun: boolean
  readonly config: Readonly<Record<string, string>>
  readonly reviewedConfig?: Readonly<Record<string, string>>
}): Promise<string | undefined> {
  const assumedRoles: string[] = []
  const assume = async (role: string) => {
    assumedRoles.push(role)
    return credentials
  }
  const { dryRun, config, reviewedConfig } = request
  await resolveStackVariables(
    { env, region: 'eu-test-1', home: '/tmp/home', assume, offer },
    {
      stack,
      dryRun,
      config: toConfig(config),
      ...(reviewedConfig === undefined ? {} : { reviewedConfig: toConfig(reviewedConfig) }),
    },
  )
  return assumedRoles[0]
}

test.each([
  { name: 'a preview', dryRun: true, config: bothRoles, role: previewRole },
  { name: 'a deployment', dryRun: false, config: bothRoles, role: deployRole },
  {
    name: 'a preview without a preview role',
    dryRun: true,
    config: { [roleKey]: deployRole },
    role: deployRole,
  },
  {
    name: 'a deployment with only a preview role',
    dryRun: false,
    config: { [previewRoleKey]: previewRole },
    role: undefined,
  },
])('the role of $name is $role', async ({ dryRun, config, role }) => {
  expect(await findRole({ dryRun, config })).toBe(role)
})

test.each([
  { name: 'the role of deployments as preview role', config: { [previewRoleKey]: deployRole } },
  { name: 'another role', config: { [roleKey]: otherRole } },
  { name: 'no role', config: {} },
])(
  'an unreviewed preview that names $name assumes the reviewed preview role',
  async ({ config }) => {
    expect(await findRole({ dryRun: true, config, reviewedConfig: bothRoles })).toBe(previewRole)
  },
)

test('an unreviewed preview without a reviewed preview role has no credentials', async () => {
  expect(await findRole({ dryRun: true, config: bothRoles, reviewedConfig: {} })).toBeUndefined()
})

test.each(['arn:aws:iam::123456789012:user/x', 'shop', 'arn:aws:iam::1:role/x'])(
  '%s is not a role, and the error names the configuration key',
  async role => {
    await expect(variablesWithRole(role)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(roleKey),
    })
  },
)
