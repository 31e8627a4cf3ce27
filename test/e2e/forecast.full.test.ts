/**
 * The forecast of a preview, compared with real deployments. The provider delays each call by a
 * known time.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nameOf } from '../../shared/names/urn.ts'
import type { DeploymentCourse } from '../../shared/records/deployment-course.ts'
import type { Forecast } from '../../shared/records/forecast.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

/** The delay of each object in ms. Database and cache depend on the network, the page on both. */
const delays = { network: 300, database: 900, cache: 200, page: 100 } as const
/** The longest chain of dependent objects. */
const criticalMs = delays.network + delays.database + delays.page
/** The sum of all delays. */
const workMs = criticalMs + delays.cache

const program = `
const { Thing } = require('./gold')
const delays = ${JSON.stringify(delays)}
const network = new Thing('network', { delay: delays.network })
const database = new Thing('database', { delay: delays.database, network: network.serial })
const options = process.env.PROTECTED ? { protect: true } : {}
const cache = new Thing('cache', { delay: delays.cache, network: network.serial }, options)
new Thing('page', { delay: delays.page, database: database.serial, cache: cache.serial })
`

let sandbox: Sandbox

beforeEach(() => {
  sandbox = createSandbox('many', { files: { 'index.js': program } })
})

afterEach(() => sandbox.remove())

/** Returns the course of the last deployment. */
async function readDeploymentCourse(): Promise<DeploymentCourse> {
  return JSON.parse(await run('deployment', 'show', '--json')) as DeploymentCourse
}

const run = async (...args: readonly string[]): Promise<string> =>
  requireSuccess(await sandbox.run([...args, '-s', 'dev'])).out

/** Returns the forecast of a preview, also of one that ends with an error. */
async function readForecast(...args: readonly string[]): Promise<Forecast> {
  const { out } = await sandbox.run([...args, '--json', '-s', 'dev'])
  return (JSON.parse(out) as { readonly forecast: Forecast }).forecast
}

/** Returns the names on the critical path. */
function pathOf({ criticalPath }: Forecast): readonly string[] {
  return criticalPath.steps.map(({ urn }) => nameOf(urn))
}

/** Expects a time of at least `expectedMs`, and less than 1.9 s more, for slow machines. */
function expectTime(ms: number, expectedMs: number): void {
  expect(ms).toBeGreaterThanOrEqual(expectedMs)
  expect(ms).toBeLessThan(expectedMs + 1_900)
}

test('a preview forecasts waves, critical path and time from the durations of earlier deployments', async () => {
  await run('stack', 'init', 'dev')
  // The waves are the stack, the network, database and cache, and the page. Only the stack needs no
  // call. Without earlier durations, the forecast assumes one second for each of the four calls.
  const first = await readForecast('preview')
  expect(first).toMatchObject({ steps: 5, waves: [1, 1, 2, 1], width: 2, workMs: 4_000 })
  expect(first.estimates).toEqual({ default: 4 })
  expect(await run('preview')).toContain('the duration of 4 of 4 calls is unknown')

  await run('up', '--yes', '--skip-preview')
  await run('destroy', '--yes', '--skip-preview')

  const forecast = await readForecast('preview', '-p', '4')
  expect(forecast).toMatchObject({ parallel: 4, estimates: { resource: 4 } })
  expect(pathOf(forecast)).toEqual(['network', 'database', 'page'])
  expectTime(forecast.criticalPath.ms, criticalMs)
  expect(forecast.wallMs).toBe(forecast.criticalPath.ms)
  expectTime((await readForecast('preview', '-p', '1')).wallMs, workMs)

  const startMs = performance.now()
  const out = await run('up', '--yes', '-p', '1')
  const deployedMs = performance.now() - startMs
  expect(out).toMatch(/about \d\.\ds with --parallel 1 \(calls [1-3]\.\ds, other work \d\.\ds\)/)
  expect(deployedMs).toBeGreaterThan(workMs)

  // With one slot, the database or the cache waits for the other one.
  const course = await readDeploymentCourse()
  const { time, criticalPath, total } = course
  expect(criticalPath.steps.map(({ urn }) => nameOf(urn)).at(0)).toBe('network')
  expect(criticalPath.steps.map(({ urn }) => nameOf(urn)).at(-1)).toBe('page')
  expect(time.callMs + time.slotMs + time.limitMs + time.retryMs + time.engineMs).toBe(
    course.wallMs,
  )
  expect(time.slotMs).toBeGreaterThanOrEqual(delays.cache - 50)
  expectTime(time.callMs + time.slotMs, workMs - 50)
  expectTime(total.callMs, workMs)
  expect(total).toMatchObject({ steps: 4, retryMs: 0, retriedSteps: 0 })
  expect(course.wallMs).toBeLessThan(deployedMs)
  const shown = await run('deployment', 'show')
  expect(shown).toContain('Deployment 3: update, succeeded')
  expect(shown).toMatch(/Critical path: 3 steps, [1-3]\.\ds/)

  const destroyed = await readForecast('destroy', '--preview-only')
  expect(pathOf(destroyed)).toEqual(['page', 'database', 'network'])
  expect(destroyed).toMatchObject({ steps: 5, waves: [1, 2, 1, 1], estimates: { resource: 4 } })
  expectTime(destroyed.wallMs, criticalMs)
})

test('a preview of a destroy names protected resources, and the resources that they keep', async () => {
  await run('stack', 'init', 'dev')
  requireSuccess(
    await sandbox.run(['up', '--yes', '--skip-preview', '-s', 'dev'], {
      env: { PROTECTED: '1' },
    }),
  )
  const refused = await sandbox.run(['destroy', '--preview-only', '-s', 'dev'])
  expect(refused.exit).not.toBe(0)
  expect(refused.out).toContain('cache is protected: it stays, and with it 3 others: many-dev,')
  // Page and database are deleted. The cache stays, with its stack, its provider and the network.
  const forecast = await readForecast('destroy', '--preview-only')
  expect(forecast).toMatchObject({ steps: 2, keptCount: 1 })
  expect(forecast.kept[0]?.keeps.map(nameOf)).toEqual(['many-dev', 'default', 'network'])

  const excluded = await readForecast('destroy', '--preview-only', '--exclude-protected')
  expect(excluded).toMatchObject({ steps: 2, keptCount: 1, kept: forecast.kept })

  const options = ['--yes', '--skip-preview', '--exclude-protected', '-s', 'dev']
  const { out } = requireSuccess(await sandbox.run(['destroy', ...options]))
  expect(out).toMatch(/^All unprotected resources were destroyed\. There are still \d+ protected/m)
})
