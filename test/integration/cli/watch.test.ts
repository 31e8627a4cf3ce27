import { beforeEach, expect, test } from 'vitest'
import { type CliBench, changedResult, createCliBench } from './cli-bench.ts'

let bench: CliBench
beforeEach(async () => {
  bench = createCliBench()
  await bench.run('stack', 'init', 'dev')
})

test('watch deploys without a preview, again after each change, and ends at Ctrl-C', async () => {
  bench.results.unshift({ ...changedResult, result: 'failed' })
  const watching = bench.run('watch', '--path', '.')
  await expect.poll(() => bench.requests.length).toBe(1)
  bench.interruptCount = 1
  bench.write('node_modules/sdk/index.js', '')
  bench.write('lib/program.js', '')
  const { exit, err } = await watching
  expect(exit).toBe(0)
  expect(bench.requests.map(({ dryRun }) => dryRun)).toEqual([false, false])
  expect(bench.calls).toContain('cancel')
  expect(err).toContain('error[DEPLOYMENT_FAILED]: ')
  expect(err).toMatch(/Changed: lib\/program.js\. Deploying\.\nStopped watching 'dev'\.\n$/)
})

test('watch reports a broken project file, and continues after its correction', async () => {
  const watching = bench.run('watch')
  await expect.poll(() => bench.requests.length).toBe(1)
  bench.write('Pulumi.yaml', 'name: [')
  // Changes with less than 200 ms between them would count as one change.
  await new Promise(resolve => setTimeout(resolve, 500))
  bench.interruptCount = 1
  bench.write('Pulumi.yaml', 'name: site\nruntime: nodejs\n')
  expect(await watching).toMatchObject({ exit: 0, err: expect.stringContaining('PROJECT_INVALID') })
  expect(bench.requests).toHaveLength(2)
})

test('watch refuses a missing path and an invalid option before it deploys', async () => {
  expect((await bench.run('watch', '--path', 'away')).err).toContain('does not exist')
  expect((await bench.run('watch', '--parallel', 'x')).err).toContain('CLI_USAGE')
  expect(bench.requests).toEqual([])
})
