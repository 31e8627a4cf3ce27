/**
 * `antichain platform verify` by the real command line, against the local cloud. The installation's
 * key protects the secrets of the stacks, as in an account.
 */

import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import type { Role } from '../../shared/api/authorization.ts'
import type { CheckReport } from '../../cli/verify/check-report.ts'
import {
  type CommandOutput,
  createSandbox,
  requireSuccess,
  type Sandbox,
  waitUntil,
} from '../e2e/sandbox.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

const packages = resolve(import.meta.dirname, '../fixtures/sdk/node_modules')

interface VerifyReport {
  readonly checks: readonly CheckReport[]
  /** The stacks and webhooks that the command could not remove. */
  readonly remainders: readonly string[]
}

describeWithServices('platform verify', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  let client: Sandbox

  beforeAll(async () => {
    bundles = await createBundles()
    // `small` is a fixture program. The sandbox needs one, but this test does not run it.
    sandbox = await createCloudSandbox('small', { aws: settings(), bundleOf: bundles.findBundle })
    client = createSandbox(undefined, { sdk: false })
    await login('admin')
  }, 120_000)
  afterAll(async () => {
    client?.remove()
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  const login = async (role: Role): Promise<void> => {
    const { token } = await createToken(sandbox.control.platform, { name: role, role })
    const env = { ANTICHAIN_TOKEN: token }
    requireSuccess(await client.run(['login', sandbox.cloud.apiUrl], { env }))
  }
  const argsOf = (...args: readonly string[]): readonly string[] => [
    ...['platform', 'verify', '--json', '--secrets-provider', sandbox.keyUrl],
    ...['--packages', packages, ...args],
  ]
  const keyVariables = () => ({
    PULUMI_CONFIG_PASSPHRASE: undefined,
    ANTICHAIN_KMS_ENDPOINT: settings().endpoints.KMS,
  })
  const verify = (...args: readonly string[]): Promise<CommandOutput> =>
    client.run(argsOf(...args), { env: keyVariables() })
  const parseReport = ({ out }: CommandOutput): VerifyReport => JSON.parse(out) as VerifyReport
  /** Returns the stacks and webhooks of the installation, without the stack of the sandbox. */
  const listLeftovers = async (): Promise<readonly string[]> => {
    const { catalog } = sandbox.control.platform
    const { stacks } = await catalog.listStacks()
    const webhooks = requireSuccess(await client.run(['webhook', 'ls', '--json'])).out
    const names = (JSON.parse(webhooks) as { name: string }[]).map(({ name }) => name)
    return [...stacks.map(({ id }) => id).filter(id => id !== sandbox.stack), ...names]
  }

  test('all checks pass, and neither a stack nor a webhook remains', async () => {
    const result = await verify('--webhook-url', sandbox.cloud.webhookUrl)
    expect([result.exit, result.err], result.out).toEqual([0, expect.any(String)])
    const { checks, remainders } = parseReport(result)
    // `park`: a generator run ends while it waits for a long create, and another one continues.
    expect(checks.map(({ name, result: outcome }) => [name, outcome])).toEqual([
      ['chain', 'passed'],
      ['two-stacks', 'passed'],
      ['park', 'passed'],
      ['long-call', 'passed'],
      ['webhook', 'passed'],
      ['alarm', 'skipped'],
    ])
    expect(checks[0]?.message).toContain('link-1, link-2, link-3')
    expect(checks[2]?.message).toMatch(/^(?:[2-9]|[1-9]\d+) generator runs /)
    expect(remainders).toEqual([])
    expect(await listLeftovers()).toEqual([])
  }, 900_000)

  test('a failed check reports its reason with exit code 1, and is cleaned up', async () => {
    const wrongUrl = new URL('/elsewhere/', sandbox.cloud.webhookUrl).href
    const result = await verify('--only', 'webhook', '--webhook-url', wrongUrl)
    expect([result.exit, result.err]).toEqual([1, expect.stringContaining('PLATFORM_CHECK_FAILED')])
    expect(parseReport(result)).toMatchObject({
      checks: [
        {
          name: 'webhook',
          result: 'failed',
          message: expect.stringContaining('the unsigned delivery got status 404'),
        },
      ],
      remainders: [],
    })
    expect(await listLeftovers()).toEqual([])
  }, 400_000)

  test('Ctrl-C stops a deployment, removes its stack, and skips the other checks', async () => {
    const running = client.start(argsOf('--only', 'park', '--only', 'long-call'), {
      env: keyVariables(),
    })
    const isDeploying = async (): Promise<boolean> => {
      const { stacks } = await sandbox.control.platform.catalog.listStacks()
      return stacks.some(({ id, current }) => id.endsWith('/park') && current !== '')
    }
    await waitUntil(isDeploying, { condition: 'the deployment of the check' })
    running.kill('SIGINT', 'process')
    const result = await running.done
    expect([result.exit, result.err]).toEqual([8, expect.stringContaining('DEPLOYMENT_CANCELLED')])
    expect(parseReport(result)).toMatchObject({
      checks: [
        { name: 'park', result: 'skipped' },
        { name: 'long-call', result: 'skipped' },
      ],
      remainders: [],
    })
    expect(await listLeftovers()).toEqual([])
  }, 400_000)

  test('a token without the role admin is refused before anything is created', async () => {
    await login('deploy')
    const result = await verify('--only', 'chain')
    expect([result.exit, result.err]).toEqual([3, expect.stringContaining('API_FORBIDDEN')])
    await login('admin')
    expect(await listLeftovers()).toEqual([])
  }, 60_000)
})
