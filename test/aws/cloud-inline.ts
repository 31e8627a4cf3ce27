import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parseExport } from '../e2e/exported-state.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { expectCountedUsage } from './counted-usage.ts'
import { describeWithServices } from './describe-with-services.ts'

/** A chain, a small stack whose operations overlap, and a stack that is too wide to run inline. */
const programs = {
  chain: { COUNT: '20', NEEDS: '1', DELAY: '50' },
  small: { COUNT: '5', NEEDS: '5', DELAY: '50' },
  wide: { COUNT: '40', NEEDS: '5', DELAY: '400' },
} as const

/** A program, the setting `inlineMax`, and whether executors run operations then. */
type InlineCase = readonly [name: keyof typeof programs, inlineMax: string, usesExecutors: boolean]

/** Describes deployments of programs in the local cloud with a limit of inline operations. */
export function describeInlineOperations(cases: readonly InlineCase[]): void {
  describeWithServices('inline operations', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
    let bundles: CloudBundles
    let sandbox: CloudSandbox | undefined
    let proxy: CountingProxy
    beforeAll(async () => {
      bundles = await createBundles()
      proxy = await startCountingProxy(settings())
    })
    afterAll(async () => {
      bundles?.remove()
      await proxy?.close()
    })
    afterEach(async () => {
      await sandbox?.remove()
      sandbox = undefined
    }, 120_000)

    test.each(cases)(
      'the program %s with at most %s inline operations uses executors: %s',
      {
        timeout: 400_000,
      },
      async (name, inlineMax, usesExecutors) => {
        sandbox = await createCloudSandbox('many', {
          aws: settings(),
          functionAws: proxy.settings,
          bundleOf: bundles.findBundle,
          settings: { 'antichain:inlineMax': inlineMax },
        })
        // The creation of tables and queues is not part of a deployment.
        proxy.takeCounts()
        const variables = programs[name]
        const program = await sandbox.upload(variables)
        for (const command of ['up', 'destroy'] as const) {
          const end = await sandbox.deploy(command, program, 180_000)
          expect(end.result, await sandbox.readDiagnostics(end.deployment)).toBe('succeeded')
          const count = command === 'up' ? Number(variables.COUNT) : 0
          expect(sandbox.listObjects()).toHaveLength(count)
          const { resources } = parseExport(await sandbox.exportState())
          expect(
            resources.filter(({ name: resource }) => resource?.startsWith('thing-')),
          ).toHaveLength(count)
        }
        await expectCountedUsage(sandbox, proxy)
        const executorCalls = sandbox.calls.filter(call => call.name === 'step-executor')
        expect(executorCalls.length > 0).toBe(usesExecutors)
      },
    )
  })
}
