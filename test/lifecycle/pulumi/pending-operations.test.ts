import { afterEach, expect, test } from 'vitest'
import type { StoredDeployment } from '../../../shared/state/stored.ts'
import { createCloud } from '../cloud.ts'
import { edited } from '../states.ts'
import { saidBy } from '../told.ts'
import { createEngines, things } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const program = things({ a: { v: 1 } })
const pendingOf = ({ pending_operations: pending = [] }: StoredDeployment) =>
  pending.map(({ type, resource }) => `${type} ${resource.urn.split('::').at(-1)}`)

/** A stack of which nobody knows how an update of `a` ended, nor a create of `b`. */
async function pending() {
  const engine = await engines.of(createCloud())
  await engine.run(program)
  await edited(engine, state => {
    const a = (state.resources ?? []).find(({ urn }) => urn.endsWith('::a'))
    if (a === undefined) throw new Error('nothing was made')
    const b = { ...a, id: '', urn: a.urn.replace(/a$/, 'b') }
    const operations = [
      { resource: a, type: 'updating' as const },
      { resource: b, type: 'creating' as const },
    ]
    return { ...state, pending_operations: operations }
  })
  return engine
}

test('TestPreviewWithPendingOperations, TestUpdateShowsWarningWithPendingOperations: an update warns and goes on; a preview says nothing', async () => {
  const engine = await pending()
  const shown = await engine.run(program, { dryRun: true })
  expect(shown.result.result).toBe('succeeded')
  expect(saidBy(shown, 'warning')).toEqual([])
  const ran = await engine.run(program)
  expect(ran.result.result).toBe('succeeded')
  const [warning = ''] = saidBy(ran, 'warning')
  expect(warning).toContain(
    'Attempting to deploy or update resources with 2 pending operations from previous deployment.\n' +
      '  * urn:pulumi:dev::life::test:index:Thing::a, interrupted while updating\n' +
      '  * urn:pulumi:dev::life::test:index:Thing::b, interrupted while creating\n',
  )
  expect(pendingOf(ran.state)).toEqual(['creating b'])
})

test('TestRefreshWithPendingOperations, TestRefreshPreservesPendingCreateOperations: a refresh clears all but creates', async () => {
  for (const asked of [{ command: 'refresh' }, { refresh: true }] as const) {
    const engine = await pending()
    const ran = await engine.run('command' in asked ? undefined : program, asked)
    expect(ran.result.result).toBe('succeeded')
    expect(saidBy(ran, 'warning')).toEqual([])
    expect(pendingOf(ran.state)).toEqual(['creating b'])
    const again = await engine.run(program)
    expect(again.result.result).toBe('succeeded')
  }
})
