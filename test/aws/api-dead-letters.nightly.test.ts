/** The API of the local cloud redrives dead letters, and stops deployments. */
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import type { FunctionRow } from '../../infra/function-row.ts'
import { functionsTable } from '../../infra/functions-table.ts'
import { deploymentIdOf } from '../../shared/records/ids.ts'
import { createSandbox, type CommandOutput, requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import { verifyExport } from '../verifier/verify.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices(
  'dead letters in the local cloud',
  ['DYNAMODB', 'SQS', 'S3', 'KMS'],
  settings => {
    test('are redriven by the API, which also stops a deployment', {
      timeout: 600_000,
    }, async () => {
      const bundles = await createBundles()
      const gate = createGate(bundles.findBundle)
      const sandbox = await createCloudSandbox('shop', {
        aws: settings(),
        bundleOf: gate.bundleOf,
        visibilitySeconds: { chains: 3 },
      })
      const client = createSandbox(undefined, { sdk: false })
      const run = (...args: readonly string[]): Promise<CommandOutput> =>
        client.run(['-C', sandbox.program, ...args])
      const writeStep = (text: string): void =>
        writeFileSync(join(sandbox.program, 'variables.json'), JSON.stringify({ STEP: text }))
      const up = ['-C', sandbox.program, 'up', '--yes', '--skip-preview']
      const { platform } = sandbox.control
      try {
        writeStep('1')
        const draft = { name: 'ci', role: 'deploy', stacks: ['shop/*'] } as const
        const { token } = await createToken(platform, { ...draft, stacks: [...draft.stacks] })
        const env = { ANTICHAIN_TOKEN: token }
        requireSuccess(await client.run(['login', sandbox.cloud.apiUrl], { env }))
        requireSuccess(await run('stack', 'select', 'dev'))
        expect(requireSuccess(await run('redrive')).err).toContain('No deployment')
        const first = client.start(up)
        const deployment = deploymentIdOf(sandbox.stack, 1)
        const hasDeadLetter = async (): Promise<boolean> =>
          (await platform.chains.listDeadLetters(deployment)).length > 0
        await waitUntil(hasDeadLetter, {
          condition: `a dead letter: ${sandbox.readLog()}`,
          limitMs: 120_000,
        })
        gate.open()
        expect(requireSuccess(await run('redrive')).err).toMatch(/Retrying \d+ operations/)
        expect(requireSuccess(await first.done).out).toMatch(/created/)
        expect(await platform.chains.listDeadLetters(deployment)).toEqual([])
        // Without a living executor, no operation of the second deployment begins.
        gate.close()
        for (const environment of sandbox.cloud.listEnvironments('step-executor'))
          environment.kill('the gate is closed')
        writeStep('2')
        const second = client.start(up)
        const hasSecondDeployment = async (): Promise<boolean> =>
          (await platform.control.read(deploymentIdOf(sandbox.stack, 2))) !== undefined
        await waitUntil(hasSecondDeployment, { condition: 'a second deployment', limitMs: 60_000 })
        expect(requireSuccess(await run('cancel', '--yes')).err).toContain('is stopping')
        const ended = await second.done
        expect([ended.exit === 0, `${ended.out}${ended.err}`]).toEqual([
          false,
          expect.stringMatching(/cancelled/i),
        ])
        const history = await platform.catalog.listHistory(sandbox.stack, 10)
        expect(
          history.map(({ result }) => result),
          sandbox.readLog(),
        ).toEqual(['cancelled', 'succeeded'])
        expect(
          verifyExport(requireSuccess(await run('stack', 'export')).out, { sealed: true }),
        ).toEqual([])
      } finally {
        client.remove()
        await sandbox.remove()
        gate.remove()
        bundles.remove()
      }
    })
  },
)

/** Creates a gate: while it is closed, the bundle of the executor cannot be loaded. */
function createGate(findBundle: CloudBundles['findBundle']) {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-gate-'))
  const bundle = join(folder, 'bundle')
  // A function sees only its bundle, so the bundle contains the file that opens the gate.
  const gateFile = join(bundle, 'open')
  const row = functionsTable.find(({ name }) => name === 'step-executor')
  cpSync(row === undefined ? '' : (findBundle(row) ?? ''), bundle, { recursive: true })
  renameSync(join(bundle, 'main.mjs'), join(bundle, 'real.mjs'))
  const text = [
    "import { existsSync } from 'node:fs'",
    "if (!existsSync(`${import.meta.dirname}/open`)) throw new Error('the gate is closed')",
    "export const { handler } = await import('./real.mjs')",
  ]
  writeFileSync(join(bundle, 'main.mjs'), text.join('\n'))
  return {
    bundleOf: (functionRow: FunctionRow) =>
      functionRow.name === 'step-executor' ? bundle : findBundle(functionRow),
    open: () => writeFileSync(gateFile, ''),
    close: () => rmSync(gateFile),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
