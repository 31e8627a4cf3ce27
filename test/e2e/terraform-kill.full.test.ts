import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestProvider } from '../tfgolden/build-provider.ts'
import { verifyExport } from '../verifier/verify.ts'
import { readStackState } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox, waitUntil } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

/** A program of independent resources. */
const programText = `const pulumi = require('@pulumi/pulumi')
const parameter = JSON.stringify({ local: { path: process.env.TFGOLD_PROVIDER } })
const reference = pulumi.runtime.registerPackage({
  baseProviderName: 'terraform-provider', baseProviderVersion: '1.1.3', baseProviderDownloadUrl: '',
  packageName: 'tfgold', packageVersion: '0.0.0',
  base64Parameter: Buffer.from(parameter).toString('base64'),
})
for (let n = 0; n < Number(process.env.N); n++) {
  const name = 'item-' + n
  new pulumi.CustomResource('tfgold:index/thing:Thing', name, { name, value: 'v' }, {}, false, reference)
}
`
const parallel = 8
const resourceCount = 200
const common = ['--yes', '--skip-preview', '-s', 'dev', '-p', String(parallel)]

/** A line in the log of the provider. Only lines of requests have `rpc`. */
interface LoggedCall {
  readonly rpc?: string
  readonly req?: { readonly planned_state?: unknown }
}

const isDelete = ({ rpc, req }: LoggedCall): boolean =>
  rpc === 'ApplyResourceChange' && req?.planned_state === null

/** The test provider names an object after its resource and a number. */
const nameOfObject = (id: string): string => id.replace(/-\d+$/, '')

describeWithCommands('resources of a Terraform provider', [['go', 'version']], () => {
  let provider: string
  let sandbox: Sandbox
  let env: Readonly<Record<string, string>>
  let logFile: string

  beforeAll(() => {
    provider = join(buildTestProvider(), 'terraform-provider-tfgold')
  })
  beforeEach(() => {
    sandbox = createSandbox(undefined, {
      files: { 'Pulumi.yaml': 'name: kill\nruntime: nodejs\n', 'index.js': programText },
    })
    logFile = join(sandbox.home, '../calls.jsonl')
    env = {
      N: String(resourceCount),
      TFGOLD_PROVIDER: provider,
      TFGOLD_CLOUD: sandbox.cloud,
      TFGOLD_LOG: logFile,
      TFGOLD_DELAY: '40ms',
    }
  })
  afterEach(() => sandbox.remove())

  const run = (...args: readonly string[]) => sandbox.run(args, { env })
  const listObjectIds = (): readonly string[] =>
    readdirSync(join(sandbox.cloud, 'objects')).map(file => file.slice(0, -'.json'.length))
  const listCalls = (): readonly LoggedCall[] =>
    existsSync(logFile)
      ? readFileSync(logFile, 'utf8')
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as LoggedCall)
      : []
  /** Starts a command, and kills all its processes when `isDue` holds for the number of objects. */
  const killWhen = async (command: 'up' | 'destroy', isDue: (objects: number) => boolean) => {
    const running = sandbox.start([command, ...common], { env })
    await waitUntil(() => isDue(listObjectIds().length), {
      condition: `objects to kill ${command}`,
    })
    running.kill('SIGKILL', 'group')
    expect((await running.done).exit).toBe(137)
    await waitUntil(() => sandbox.listProcesses().length === 0, { condition: 'no processes' })
  }

  test('are not lost when a wide create is killed: each object is in the state or pending', async () => {
    requireSuccess(await run('stack', 'init', 'dev'))
    await killWhen('up', objects => objects >= 60)
    const { err, out } = requireSuccess(await run('up', ...common))
    expect(verifyExport(await sandbox.exportState(), { sealed: true })).toEqual([])
    const { resources, pending } = await readStackState(sandbox)
    expect(resources.filter(({ name }) => name.startsWith('item-'))).toHaveLength(resourceCount)
    const ids = new Set(resources.map(({ id }) => id))
    const lostIds = listObjectIds().filter(id => !ids.has(id))
    const pendingNames = pending.map(({ name }) => name)
    expect(pendingNames).toEqual(expect.arrayContaining(lostIds.map(nameOfObject)))
    for (const { name, type } of pending) {
      expect(type).toBe('creating')
      expect(out + err).toContain(name)
    }
  })

  test('are all deleted although a wide destroy is killed three times, and few deletes are repeated', async () => {
    requireSuccess(await run('stack', 'init', 'dev'))
    requireSuccess(await run('up', ...common))
    expect(listObjectIds()).toHaveLength(resourceCount)
    const remainingCounts = [150, 90, 40]
    for (const remaining of remainingCounts)
      await killWhen('destroy', objects => objects <= remaining)
    requireSuccess(await run('destroy', ...common))
    expect(listObjectIds()).toEqual([])
    expect((await readStackState(sandbox)).resources).toEqual([])
    const deletes = listCalls().filter(isDelete)
    expect(deletes.length).toBeGreaterThanOrEqual(resourceCount)
    expect(deletes.length).toBeLessThanOrEqual(
      resourceCount + remainingCounts.length * 2 * parallel,
    )
  })
})
