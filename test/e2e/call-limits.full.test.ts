import { expect, test } from 'vitest'
import { initDevStack, upArgs } from './exported-state.ts'
import type { DeploymentCourse } from '../../shared/records/deployment-course.ts'
import { createSandbox, requireSuccess, type Sandbox, waitUntil } from './sandbox.ts'

/** Sets one rule for the test provider. */
async function limitCalls(sandbox: Sandbox, rule: Readonly<Record<string, string>>): Promise<void> {
  for (const [field, value] of Object.entries({ provider: 'gold', ...rule })) {
    const key = `antichain:limits[0].${field}`
    requireSuccess(await sandbox.run(['config', 'set', '--stack', 'dev', '--path', key, value]))
  }
}

/** Returns the creation times of the test provider's resources, in ms since 1970, in order. */
async function readCreateTimes(sandbox: Sandbox): Promise<readonly number[]> {
  const { out } = requireSuccess(await sandbox.run(['stack', 'export', '--stack', 'dev']))
  const { deployment } = JSON.parse(out) as {
    readonly deployment: { readonly resources: readonly { type: string; created: string }[] }
  }
  return deployment.resources
    .filter(({ type }) => type.startsWith('gold:'))
    .map(({ created }) => Date.parse(created))
    .toSorted((a, b) => a - b)
}

/** Returns the course of the last deployment. */
async function readCourse(sandbox: Sandbox): Promise<DeploymentCourse> {
  const shown = await sandbox.run(['deployment', 'show', '--stack', 'dev', '--json'])
  return JSON.parse(requireSuccess(shown).out) as DeploymentCourse
}

/** Runs a test in a sandbox whose stack has one rule for the test provider. */
async function withStack(
  rule: Readonly<Record<string, string>>,
  run: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    await limitCalls(sandbox, rule)
    await run(sandbox)
  } finally {
    sandbox.remove()
  }
}

/** Returns the highest number of creates that run at the same time, until a command ends. */
async function countConcurrentCreates(
  sandbox: Sandbox,
  command: { readonly done: Promise<unknown> },
): Promise<number> {
  let most = 0
  let isOver = false
  void command.done.then(() => {
    isOver = true
  })
  const observe = (): boolean => {
    // A response between the two reads only lowers the count.
    const changes = sandbox.listChanges().length
    most = Math.max(most, changes - sandbox.listObjects().length)
    return isOver
  }
  await waitUntil(observe, { condition: 'the end', limitMs: 60_000 })
  return most
}

test('a rate spreads the starts of calls, however many may run at the same time', async () => {
  await withStack({ rate: '2/s' }, async sandbox => {
    const env = { COUNT: '6', DELAY: '10' }
    requireSuccess(await sandbox.run([...upArgs, '-p', '16'], { env }))
    const times = await readCreateTimes(sandbox)
    expect(times).toHaveLength(6)
    // The rate starts a create each 500 ms. The test provider reads the clock later than that start,
    // so the distances of the times vary on a busy machine.
    for (const [index, time] of times.slice(1).entries())
      expect(time - (times[index] ?? 0)).toBeGreaterThan(250)
    const { time, total } = await readCourse(sandbox)
    expect(time.limitMs).toBeGreaterThan(2_000)
    expect(time.slotMs).toBe(0)
    // Each create waited half a second longer than the previous one.
    expect(total.limitMs).toBeGreaterThan(2 * time.limitMs)
  })
})

test('a concurrency rule limits the calls of all executors together', async () => {
  await withStack({ concurrency: '2' }, async sandbox => {
    const env = { COUNT: '10', DELAY: '200', GOLD_ASKED: '1' }
    const serving = [0, 1].map(() => sandbox.start(['serve', '--only', 'executor'], { env }))
    const running = sandbox.start([...upArgs, '--execute', 'elsewhere', '-p', '8'], { env })
    expect(await countConcurrentCreates(sandbox, running)).toBe(2)
    requireSuccess(await running.done)
    for (const executor of serving) executor.kill('SIGINT', 'group')
    await Promise.all(serving.map(({ done }) => done))
    expect(sandbox.listObjects()).toHaveLength(10)
  })
})

test('calls slow down after a throttled call, and the deployment reports it', async () => {
  const sandbox = createSandbox('many', {
    files: {
      'index.js': `const { Thing } = require('./gold')
new Thing('TooManyRequests', {})
for (let i = 0; i < Number(process.env.COUNT); i++) new Thing('thing-' + i, {})
`,
    },
  })
  try {
    await initDevStack(sandbox)
    sandbox.setFaults({ 'create:TooManyRequests': 1 })
    const failed = await sandbox.run(upArgs, { env: { COUNT: '0' } })
    expect(failed.exit).not.toBe(0)
    expect(failed.out + failed.err).toContain(`'gold' throttles calls; at most 30.0 a minute start`)
    requireSuccess(await sandbox.run(upArgs, { env: { COUNT: '4' } }))
    expect(sandbox.listObjects()).toHaveLength(5)
    // The second call starts two seconds after the first one, and the last three wait for it.
    expect((await readCourse(sandbox)).total.limitMs).toBeGreaterThan(4_000)
  } finally {
    sandbox.remove()
  }
})

test('a cancelled deployment does not wait for its limits', async () => {
  await withStack({ rate: '1/m' }, async sandbox => {
    const env = { COUNT: '5', DELAY: '10' }
    const running = sandbox.start(upArgs, { env })
    const isFirstCreated = (): boolean => sandbox.listObjects().length === 1
    await waitUntil(isFirstCreated, { condition: 'the first create', limitMs: 60_000 })
    const canceledAt = Date.now()
    running.kill('SIGINT', 'group')
    const ended = await running.done
    expect(ended.exit).not.toBe(0)
    expect(Date.now() - canceledAt).toBeLessThan(20_000)
    expect(sandbox.listObjects()).toHaveLength(1)
  })
})

test('a wrong rule is refused before anything runs', async () => {
  await withStack({ rate: 'fast' }, async sandbox => {
    const refused = await sandbox.run(upArgs)
    expect(refused.exit).not.toBe(0)
    expect(refused.err).toContain(
      `(antichain:limits) rule 1, rate: 'fast' is not a rate of at most an hour`,
    )
    expect(sandbox.listCalls()).toEqual([])
  })
})
