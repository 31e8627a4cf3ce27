import { afterEach, expect, test } from 'vitest'
import { readCourse } from '../../shared/runtime/forecast/read-course.ts'
import { readStepDurations } from '../../shared/runtime/forecast/read-step-durations.ts'
import type { Forecast } from '../../shared/records/forecast.ts'
import { createCloud } from './cloud.ts'
import { createForeignCloud, firstProgram, scenarios } from './resume.ts'
import { createEngines, createThings, getTestStack, registerThing } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Returns the forecast of a preview, and throws if there is none. */
function requireForecast(forecast: Forecast | undefined): Forecast {
  if (forecast === undefined) throw new Error('the preview has no forecast')
  return forecast
}

test('a preview of an update counts its steps, and a deployment has no forecast', async () => {
  const engine = await engines.open(createCloud())
  const created = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } }))
  expect(created.result.forecast).toBeUndefined()
  const program = createThings({ a: { v: 1 }, b: { v: 2 }, d: { v: 1 } })
  const { result } = await engine.run(program, { dryRun: true })
  // `b` is updated and `d` is created. Then `c` is deleted. `a` is unchanged.
  expect(result.forecast).toMatchObject({ steps: 3, waves: [2, 1], width: 2 })
})

test('a replacement waits for the update of its dependency, and its old object is deleted last', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (v: number) =>
    async (monitor: Parameters<typeof registerThing>[0]): Promise<void> => {
      const base = await registerThing(monitor, 'base', { v })
      await registerThing(monitor, 'top', { replace: v }, { dependencies: [base.urn] })
    }
  await engine.run(program(1))
  const { result } = await engine.run(program(2), { dryRun: true })
  const { waves, criticalPath } = requireForecast(result.forecast)
  expect(waves).toEqual([1, 1, 1])
  expect(criticalPath.steps.map(({ op }) => op)).toEqual([
    'update',
    'create-replacement',
    'delete-replaced',
  ])
})

test('a refresh before an update is a wave before all other steps', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const options = { dryRun: true, refresh: true }
  const { result } = await engine.run(createThings({ a: { v: 2 }, b: { v: 1 } }), options)
  expect(result.forecast).toMatchObject({ steps: 3, waves: [2, 1] })
})

test('durations are read from the outcomes of the last deployments', async () => {
  const engine = await engines.open(createCloud())
  const { platform } = engine
  const { id } = await getTestStack(platform)
  const noDurations = await readStepDurations(platform, id, 'up')
  expect([noDurations.byType.size, noDurations.overheadMs]).toEqual([0, undefined])
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const durations = await readStepDurations(platform, id, 'up')
  expect([...durations.byType.keys()]).toEqual(['create test:index:Thing'])
  expect(durations.byResource.size).toBe(2)
  expect(durations.overheadMs).toBeGreaterThanOrEqual(0)
  expect((await readStepDurations(platform, id, 'destroy')).overheadMs).toBeUndefined()
  const { result } = await engine.run(createThings({ a: { v: 2 }, e: { v: 1 } }), { dryRun: true })
  expect(result.forecast?.estimates).toEqual({ default: 2, type: 1 })
})

test.each(scenarios)(
  'the parts of the course of $name add up to its duration',
  async ({ program, options }) => {
    const cloud = createForeignCloud()
    const engine = await engines.open(cloud)
    await engine.run(firstProgram)
    cloud.drift()
    await engine.run(program, options)
    const { record, course } = await readCourse(
      engine.platform,
      await getTestStack(engine.platform),
      2,
    )
    if (course === undefined) throw new Error('the deployment has no course')
    const { time, wallMs, criticalPath, total } = course
    expect(wallMs).toBe((record.endedAt ?? 0) - record.startedAt)
    expect(time.callMs + time.slotMs + time.limitMs + time.retryMs + time.engineMs).toBe(wallMs)
    for (const part of criticalPath.steps.flatMap(
      ({ callMs, slotMs, limitMs, retryMs, engineMs }) => [
        ...[callMs, slotMs, limitMs, retryMs, engineMs],
      ],
    ))
      expect(part).toBeGreaterThanOrEqual(0)
    expect(criticalPath.stepCount).toBeGreaterThan(0)
    expect(total.steps).toBeGreaterThanOrEqual(criticalPath.stepCount)
  },
)
