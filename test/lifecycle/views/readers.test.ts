/**
 * Readers of views: lookups by URN, and policy packs that analyze a stack. Source:
 * docs/spec/step-execution.md#views.
 */
import { afterEach, expect, test } from 'vitest'
import type { AnalyzedStackResource } from '../../../shared/providers/analyzers/analyzer.ts'
import type { Program } from '../engine.ts'
import { createPack, createAnalysis } from '../policy-packs.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'
import { createViewEngineOpener, ownerViewScript } from './viewing-provider.ts'

const engines = createEngines()
afterEach(() => engines.close())
const openScene = createViewEngineOpener(engines)

const view = 'urn:pulumi:dev::life::test:index:Thing$test:index:View::a-child'

/**
 * Returns a program that registers `a`. The program looks up the view of `a` before and after that,
 * and adds the results to `viewReads`.
 */
const createLookupProgram =
  (v: string, viewReads: unknown[]): Program =>
  async monitor => {
    const getView = (): Promise<unknown> =>
      monitor.invoke('pulumi:pulumi:getResource', { urn: view }).catch(String)
    viewReads.push(await getView())
    await registerThing(monitor, 'a', { v })
    viewReads.push(await getView())
  }

const knownView = (value: string) => ({ urn: view, id: '', provider: '', state: { result: value } })

test('a view is found by its URN once its owner is previewed, created, unchanged or updated', async () => {
  const { engine } = await openScene(ownerViewScript)
  for (const [v, dryRun] of [
    ['bar', true],
    ['bar', false],
    ['bar', false],
    ['baz', false],
  ] as const) {
    const viewReads: unknown[] = []
    const testRun = await engine.run(createLookupProgram(v, viewReads), dryRun ? { dryRun } : {})
    expect(testRun.result.result).toBe('succeeded')
    expect(String(viewReads[0])).toContain(`unknown resource ${view}`)
    expect(viewReads[1]).toMatchObject(knownView(v))
  }
})

test('packs that analyze a stack receive its views, in previews and in updates', async () => {
  const { engine } = await openScene(ownerViewScript)
  const seen: (readonly AnalyzedStackResource[])[] = []
  const analyzeStack = (resources: readonly AnalyzedStackResource[]) => {
    seen.push(resources)
    return Promise.resolve(createAnalysis())
  }
  const packs = [createPack('pack', { analyzeStack })]
  await engine.run(createThings({ a: { v: 'bar' } }), { packs, dryRun: true })
  await engine.run(createThings({ a: { v: 'bar' } }), { packs })
  await engine.run(createThings({ a: { v: 'bar' } }), { packs, dryRun: true })
  // The program does not register `a`, which stays with its view because it is no target.
  const targeting = { targets: ['urn:pulumi:dev::life::test:index:Thing::b'] }
  await engine.run(createThings({ b: { v: 'bar' } }), { packs, targeting, dryRun: true })
  // Without targets both are deleted.
  await engine.run(createThings({ b: { v: 'bar' } }), { packs, dryRun: true })
  const views = seen.map(all => all.filter(({ urn }) => urn === view))
  const values = views.map(all => all.map(({ properties }) => properties.get('result')))
  expect(values).toEqual([['bar'], ['bar'], ['bar'], ['bar'], []])
})
