import { expect, test } from 'vitest'
import type { ConfigValue, DeployRequest } from '../../engine/request.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import type { DeploymentRequest } from '../../records/request.ts'
import { openWithReviewedConfig } from './reviewed-config.ts'
import { roleKey } from './stack-role.ts'

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
  ...{ stack, key: 'k', at: 1 as EpochMs, by: 'webhook hook', dryRun: true },
  options: {
    ...{ command: 'up', message: '', parallel: 1, refresh: false },
    ...{ continueOnError: false, execute: 'functions' },
  },
  ...{ program: commitProgram, origin },
}

/**
 * Opens a request, and returns the role in its reviewed configuration. The configuration of each
 * program names the archive of the program as its role, or the kind of the program.
 */
async function readReviewedRole(fields: Partial<DeploymentRequest>): Promise<string | undefined> {
  const open = openWithReviewedConfig(
    async ({ program }) => {
      const text = program.kind === 'archive' ? program.archive : program.kind
      const config = new Map([[roleKey, { text, secret: false } as ConfigValue]])
      return { stack, config } as unknown as DeployRequest
    },
    { getProgram: async () => lastProgram },
  )
  const { config, reviewedConfig } = await open({ ...request, ...fields })
  expect(config.get(roleKey)?.text).toBe((fields.program ?? commitProgram).kind)
  return reviewedConfig?.get(roleKey)?.text
}

test.each([
  ['a pull request', origin],
  ['a push', pushOrigin],
])(
  'the preview of a commit of %s is unreviewed: the last deployed program names its role',
  async (_name, requestOrigin) => {
    expect(await readReviewedRole({ origin: requestOrigin })).toBe(lastProgram)
  },
)

test('a stack without a deployed program has an empty reviewed configuration', async () => {
  const open = openWithReviewedConfig(
    async () => ({ stack, config: new Map() }) as unknown as DeployRequest,
    { getProgram: async () => undefined },
  )
  expect((await open(request)).reviewedConfig).toEqual(new Map())
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
  expect(await readReviewedRole(fields)).toBeUndefined()
})
