/**
 * Deploys two stacks at the same time. An execution environment serves one stack only. So an
 * executor may receive a chain of the other stack, and must send it again. Both deployments
 * together must not take much longer than one after the other.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BlobHash, type StackId, stackIdOf } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { type CloudBundles, createBundles } from '../aws/cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from '../aws/cloud-sandbox.ts'
import { describeWithServices } from '../aws/describe-with-services.ts'

const provider = resolve(import.meta.dirname, '..', 'golden', 'provider')
const pluginKey = {
  kind: 'resource',
  name: 'gold',
  version: '1.0.0',
  os: process.platform,
  arch: process.arch,
}
const otherStack = stackIdOf('many', 'prod')
const resourceCount = 300
const limitMs = Number(process.env['LIMIT'] ?? 600_000)

describeWithServices('two stacks', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  beforeAll(async () => {
    bundles = await createBundles()
    // Functions find no provider on the path, so each environment downloads the plugin.
    const path = [resolve(provider, '../../../node_modules/node/bin'), '/usr/bin', '/bin']
    sandbox = await createCloudSandbox('many', {
      aws: settings(),
      bundleOf: bundles.findBundle,
      variables: { PATH: path.join(delimiter) },
    })
    const { catalog, clock, plugins } = sandbox.control.platform
    await catalog.createStack(otherStack, clock.now())
    await plugins.put(pluginKey, execFileSync('tar', ['-czf', '-', '-C', provider, '.']))
    copyFileSync(
      join(sandbox.program, 'Pulumi.dev.yaml'),
      join(sandbox.program, 'Pulumi.prod.yaml'),
    )
  })
  afterAll(async () => {
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  test('take at most 1.2 times as long together as one after the other', {
    timeout: 3 * limitMs,
  }, async () => {
    const uploadProgram = (count: number): Promise<BlobHash> =>
      sandbox.upload({ COUNT: String(count), DELAY: '100' })
    let program = await uploadProgram(20)
    const deploy = async (stack: StackId, command: Command): Promise<number> => {
      const startedMs = performance.now()
      const { control } = sandbox
      const key = await control.requestDeployment({ stack, command, program })
      const end = await control.awaitEnd(stack, key, limitMs)
      expect(end, sandbox.readLog().slice(-4_000)).toMatchObject({ result: 'succeeded' })
      return (performance.now() - startedMs) / 1_000
    }
    const stacks = [sandbox.stack, otherStack]
    const deployTogether = async (command: Command): Promise<number> =>
      Math.max(...(await Promise.all(stacks.map(stack => deploy(stack, command)))))
    // The first deployments start environments, which would count for one of the two ways only.
    await deployTogether('up')
    program = await uploadProgram(resourceCount)
    let sequentialSeconds = 0
    for (const stack of stacks) sequentialSeconds += await deploy(stack, 'up')
    await deployTogether('destroy')
    const callsBefore = sandbox.calls.length
    const concurrentSeconds = await deployTogether('up')
    const executorCalls = sandbox.calls
      .slice(callsBefore)
      .filter(({ name }) => name === 'step-executor')
    const ratio = concurrentSeconds / sequentialSeconds
    const endedEnvironments = executorCalls.filter(({ outcome }) => outcome.kind === 'died').length
    console.log(
      `one after the other: ${sequentialSeconds.toFixed(1)} s; together: ${concurrentSeconds.toFixed(1)} s (${ratio.toFixed(2)}); calls of executors: ${executorCalls.length}, ended environments: ${endedEnvironments}`,
    )
    expect(ratio).toBeLessThanOrEqual(1.2)
  })
})
