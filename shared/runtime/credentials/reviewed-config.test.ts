import { describe, expect, test } from 'vitest'
import type { ConfigValue, DeployInput } from '../../engine/request.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import type { DeploymentRequest } from '../../records/stack-request.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { withReviewedConfig } from './reviewed-config.ts'
import { previewRoleKey, roleKey } from './stack-role.ts'

const stack = 'organization/p/s' as StackId
const lastProgram = 'of the last deployment' as BlobHash
const origin = {
  kind: 'webhook',
  webhook: 'hook',
  repository: 'acme/shop',
  commit: 'c',
  ref: 'pull request 7',
  pullRequest: 7,
} as const
const { pullRequest: _number, ...pushOrigin } = origin
const commitProgram = {
  kind: 'repository',
  repository: 'acme/shop',
  commit: 'c',
  folder: '',
  webhook: 'hook',
} as const
const request: DeploymentRequest = {
  stack,
  key: 'k',
  at: 1 as EpochMs,
  by: 'webhook hook',
  dryRun: true,
  options: {
    command: 'up',
    message: '',
    parallel: 1,
    refresh: false,
    continueOnError: false,
    execute: 'functions',
  },
  program: commitProgram,
  origin,
}

type Config = DeployInput['config']

const plain = (text: string): ConfigValue => ({ text, isSecret: false, isObject: false })
const secretConfig: Config = new Map([
  ['cloudflare:apiToken', { text: 'token', isSecret: true, isObject: false }],
])
const deployRole: Config = new Map([[roleKey, plain('deploy')]])
const bothRoles: Config = new Map([...deployRole, [previewRoleKey, plain('preview')]])
const noConfig: Config = new Map()

/** A stack whose last deployed program and commits have these configurations. */
interface Stack {
  /** Absent: the stack has no deployed program. */
  readonly reviewed?: Config
  readonly commit: Config
  readonly state?: StoredDeployment
}

/** Opens a request, and returns its reviewed configuration. */
async function readReviewedConfig(
  { reviewed, commit, state }: Stack,
  fields: Partial<DeploymentRequest> = {},
): Promise<Config | undefined> {
  const open = withReviewedConfig(
    async ({ program }) => {
      const config = program.kind === 'archive' ? reviewed : commit
      return { stack, config } as unknown as DeployInput
    },
    {
      requests: { getProgram: async () => (reviewed === undefined ? undefined : lastProgram) },
      readState: async () => state,
    },
  )
  const deployRequest = await open({ ...request, ...fields })
  expect(deployRequest.config).toBe(commit)
  return deployRequest.reviewedConfig
}

test.each([
  ['a pull request', origin],
  ['a push', pushOrigin],
])(
  'the preview of a commit of %s is unreviewed: the last deployed program names its role',
  async (_name, requestOrigin) => {
    const commit = new Map([[previewRoleKey, plain('of the commit')]])
    const reviewedConfig = await readReviewedConfig(
      { reviewed: bothRoles, commit },
      { origin: requestOrigin },
    )
    expect(reviewedConfig).toBe(bothRoles)
  },
)

const emptyState = { manifest: {}, metadata: {} } as unknown as StoredDeployment
const secretState: StoredDeployment = {
  ...emptyState,
  resources: [
    {
      urn: 'urn:pulumi:s::p::pulumi:pulumi:Stack::p-s',
      type: 'pulumi:pulumi:Stack',
      custom: false,
      // A fixed key with a fixed value marks a secret in Pulumi's format.
      outputs: {
        key: { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' },
      },
    },
  ],
}

describe('an unreviewed preview without a reviewed preview role is refused', () => {
  test.each<readonly [string, Stack]>([
    ['for a stack with a role', { reviewed: deployRole, commit: noConfig }],
    ['that names the preview role itself', { reviewed: deployRole, commit: bothRoles }],
    ['for a stack without a deployed program', { commit: bothRoles }],
    ['for a stack with secret configuration', { reviewed: secretConfig, commit: noConfig }],
    ['that contains secret configuration itself', { reviewed: noConfig, commit: secretConfig }],
    [
      'for a stack with secrets in its state',
      { reviewed: noConfig, commit: noConfig, state: secretState },
    ],
  ])('%s', async (_name, stackOfRequest) => {
    await expect(readReviewedConfig(stackOfRequest)).rejects.toMatchObject({
      code: 'PREVIEW_ROLE_MISSING',
    })
  })
})

test('a reviewed preview role allows unreviewed previews of a stack with secrets', async () => {
  const reviewed = new Map([...bothRoles, ...secretConfig])
  const stackOfRequest = { reviewed, commit: secretConfig, state: secretState }
  expect(await readReviewedConfig(stackOfRequest)).toBe(reviewed)
})

test('a stack without roles and secrets needs no preview role', async () => {
  const commit = new Map([['p:size', plain('7')]])
  expect(await readReviewedConfig({ commit, state: emptyState })).toEqual(new Map())
})

test.each<[string, Partial<DeploymentRequest>]>([
  [
    'the preview of a pull request whose rule trusts it',
    { program: { ...commitProgram, previewWithDeployRole: true } },
  ],
  [
    'the preview of a push whose rule trusts it',
    { program: { ...commitProgram, previewWithDeployRole: true }, origin: pushOrigin },
  ],
  ['a preview of the last upload', { program: { kind: 'last' } }],
  ['the deployment of a push', { origin: pushOrigin, dryRun: false }],
  ['a schedule', { origin: { kind: 'schedule', name: 'drift', remediate: false } }],
])('%s is reviewed', async (_name, fields) => {
  const stackOfRequest = { reviewed: deployRole, commit: secretConfig, state: secretState }
  expect(await readReviewedConfig(stackOfRequest, fields)).toBeUndefined()
})
